export interface Stat {
  readonly name: string;
  readonly value: string;
  readonly more: string;
  readonly href?: string;
}

export function Stats({ stats }: { readonly stats: readonly Stat[] }) {
  return (
    <dl class="stats">
      {stats.map(({ name, value, more, href }) => (
        <div key={name} class="stat">
          <dt>{name}</dt>
          <dd class="value">{href === undefined ? value : <a href={href}>{value}</a>}</dd>
          <dd class="muted">{more}</dd>
        </div>
      ))}
    </dl>
  );
}
