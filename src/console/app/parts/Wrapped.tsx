/** Lets a path wrap only between its parts. */
export function Wrapped({ text }: { readonly text: string }) {
  const parts = text.split(/(?<=[/\\_-])/);
  return (
    <span class="wrapped">
      {parts.map((part, index) => (
        <span key={index}>
          {part}
          <wbr />
        </span>
      ))}
    </span>
  );
}
