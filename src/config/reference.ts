import { BUILT_IN_IGNORES } from './ignores.ts';
import { schemaTree, type SchemaNode } from './schemaTree.ts';
import { SETTINGS } from './settings.ts';
import { SHIPPED_VALUES, defaultConfigText } from './template.ts';

const INTRODUCTION = `<!-- Generated from src/config/schema.ts and src/texts by \`npm run generate\`; change it there. -->

# Configuration

One YAML file, looked for in this order: \`--config FILE\`, \`$RECEIPTD_CONFIG\`, \`./receiptd.yaml\`,
\`$XDG_CONFIG_HOME/receiptd/receiptd.yaml\` (\`~/.config\` without XDG_CONFIG_HOME), \`/etc/receiptd/receiptd.yaml\`;
on Windows \`%APPDATA%\\receiptd\\receiptd.yaml\` and \`%PROGRAMDATA%\\receiptd\\receiptd.yaml\` instead of the last two.
\`receiptd init\` writes one, \`receiptd check\` says whether it is valid, and \`config/receiptd.schema.json\` lets
editors complete it.

- Durations have a unit: \`200ms\`, \`10s\`, \`5m\`, \`1h\`, \`1d\`.
- Sizes have a decimal unit: \`10kB\` is 10,000 bytes; \`50MB\`, \`1GB\`.
- Rates are \`N/s\`, \`N/min\`, \`N/h\` or \`unlimited\`, over a sliding window. A number alone is per minute: \`rate: 30\` is \`30/min\`. In \`results.rate\` it is per second.
- Relative paths start at the config file, \`~\` is your home.
- Patterns that start with \`*\` have to be in quotes, or YAML takes them for something else.
- **Change** says where a setting is changed: in the file and the console, or in the file alone. A change takes effect within seconds
  ([change settings](change-settings.md)); with *next start*, when receiptd is started again.
- Do not put credentials into the file: it would be refused. \`receiptd login\` stores them. The address of a proxy may contain a
  password.
`;

const ENVIRONMENT = `## Environment

| Variable | Meaning |
|---|---|
| \`RECEIPTD_CONFIG\` | The config file, unless \`--config\` names one. |
| \`RECEIPTD_STATE_DIR\` | The state directory; overrides \`stateDir\`. |
| \`RECEIPTD_CLIENT_ID\`, \`RECEIPTD_CLIENT_SECRET\` | Credentials, for the store \`environment\`. |
| \`RECEIPTD_CLIENT_ID_BRANCH\`, \`RECEIPTD_CLIENT_SECRET_BRANCH\` | The same for the account \`branch\`: its name in capitals, with _ for -. |
| \`NO_COLOR\` | If set, nothing is coloured. |
`;

const STATE_DIR = `Without \`stateDir\` and \`RECEIPTD_STATE_DIR\` the state directory is:

| Where | State directory |
|---|---|
| a unit of systemd with \`StateDirectory\` | \`$STATE_DIRECTORY\` |
| a configuration in \`/etc/receiptd\`, whoever runs the command | \`/var/lib/receiptd\` |
| root | \`/var/lib/receiptd\` |
| Linux | \`$XDG_STATE_HOME/receiptd\`, or \`~/.local/state/receiptd\` |
| macOS | \`~/Library/Application Support/receiptd\` |
| Windows, a configuration in \`%PROGRAMDATA%\\receiptd\` | \`state\` in there |
| Windows | \`%LOCALAPPDATA%\\receiptd\` |

The first matching line counts. The state directory has to be a dedicated one. A directory that contains other things, or that belongs to the machine or to a person (\`/etc\`, \`/var/lib\`, a home), is
refused, because it would be closed to everybody but its owner.
`;

/** The text of docs/configuration.md. */
export function referenceText(): string {
  const tree = schemaTree();
  const sections = Object.entries(tree.properties ?? {}).map(([key, node]) =>
    section(key, node, isRequired(key, tree)),
  );
  return [
    INTRODUCTION,
    ...sections,
    ENVIRONMENT,
    `## Built-in ignores\n\n${BUILT_IN_IGNORES.map((name) => `\`${name}\``).join(', ')}; they apply to files and directories at any depth, and case is ignored. The agent's own temporary files (\`.receiptd-*\`) are always ignored.\n`,
    `## A complete example\n\n\`\`\`yaml\n${defaultConfigText(SHIPPED_VALUES)}\`\`\`\n`,
  ].join('\n');
}

function section(key: string, node: SchemaNode, required: boolean): string {
  const { heading, inner, below } = content(key, node);
  const about =
    inner === node ? [] : [`${node.description ?? ''}${required ? ' At least one is required.' : ''}\n`];
  const rows = inner.properties === undefined ? [row(key, key, node, required)] : rowsOf(inner, below, '');
  if (inner === node && node.properties !== undefined) about.push(`${node.description ?? ''}\n`);
  const table = `| Key | Type | Default | Change | Meaning |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  return [`## \`${heading}\`\n`, ...about, table, ...(key === 'stateDir' ? [STATE_DIR] : [])].join('\n');
}

/** Keys of list items and of map values are documented in the section of their list or map. */
function content(key: string, node: SchemaNode): { heading: string; inner: SchemaNode; below: string } {
  const { items, additionalProperties: named } = node;
  if (items?.properties !== undefined) return { heading: `${key}[]`, inner: items, below: `${key}[].` };
  if (typeof named === 'object') return { heading: `${key}.<name>`, inner: named, below: `${key}.*.` };
  return { heading: key, inner: node, below: `${key}.` };
}

function rowsOf(node: SchemaNode, below: string, prefix: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) => {
    const shown = `${prefix}${key}`;
    return inner.properties === undefined
      ? [row(below + shown, shown, inner, isRequired(key, node))]
      : rowsOf(inner, below, `${shown}.`);
  });
}

const BY_KEY = new Map(SETTINGS.map((setting) => [setting.key, setting]));

function row(key: string, shown: string, node: SchemaNode, required: boolean): string {
  const { why = null, applies } = BY_KEY.get(key) ?? {};
  const cells = [
    `\`${shown}\``,
    typeOf(node),
    required ? '**required**' : defaultOf(node),
    [why === null ? 'console' : 'file', ...(applies === 'start' ? ['next start'] : [])].join(', '),
    node.description ?? '',
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function isRequired(key: string, parent: SchemaNode): boolean {
  return parent.required?.includes(key) ?? false;
}

function typeOf(node: SchemaNode): string {
  if (node.title !== undefined) return node.title;
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(', ');
  if (node.items !== undefined) return `list of ${typeOf(node.items)}`;
  return node.type === 'boolean' ? 'true or false' : (node.type ?? '');
}

function defaultOf(node: SchemaNode): string {
  if (node.default === undefined) return node.defaultText ?? '';
  if (Array.isArray(node.default))
    return `\`[${node.default.map((item) => JSON.stringify(item)).join(', ')}]\``;
  return typeof node.default === 'string' ? `\`${node.default}\`` : `\`${JSON.stringify(node.default)}\``;
}
