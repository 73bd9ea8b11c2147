import type { CommandWords, Kind } from './words.ts';

/** For `source <(receiptd completion zsh)`, or a file `_receiptd` in a directory of `$fpath`. */
export function zshScript(all: readonly CommandWords[]): string {
  return `#compdef receiptd
# zsh completion of receiptd; made by \`receiptd completion zsh\`.
__receiptd_ask() { # what
  local -a config found
  [[ -n \${opt_args[--config]-} ]] && config=(--config "\${(Q)opt_args[--config]}")
  found=("\${(@f)$(receiptd complete "$1" "$PREFIX" $config 2>/dev/null)}")
  found=(\${found:#})
  (( $#found )) && compadd -a found
}

__receiptd_targets() { __receiptd_ask endpoints; _files -/ }

${all.map(functionOf).join('\n')}
_receiptd() { ${nameOf([])} "$@" }
if [[ $funcstack[1] = _receiptd ]]; then _receiptd "$@"; else compdef _receiptd receiptd; fi
`;
}

function nameOf(path: readonly string[]): string {
  return ['__receiptd_at', ...path].join('_').replaceAll('-', '_');
}

function functionOf({ path, commands, options, places }: CommandWords): string {
  const specs = [
    ...options.flatMap(({ flags, description, value }) =>
      flags.map((flag) => {
        const many = value?.variadic ? '*' : '';
        const argument = value === null ? '' : `:${value.name}:${actionOf(value.is)}`;
        const equals = value !== null && flag.startsWith('--') ? '=' : '';
        return `${many}${flag}${equals}[${plain(description)}]${argument}`;
      }),
    ),
    ...(commands.length > 0
      ? ['1:command:->command', '*::word:->word']
      : places.map(({ name, is, variadic }, at) => `${variadic ? '*' : at + 1}:${name}:${actionOf(is)}`)),
  ];
  const lines = specs.map((spec) => `    ${quoted(spec)}`).join(' \\\n');
  const described = commands.map(({ name, description }) => quoted(`${name}:${plain(description)}`));
  const turns = commands.map(({ name }) => `    ${name}) ${nameOf([...path, name])} ;;`);
  return commands.length === 0
    ? `${nameOf(path)}() {\n  local -A opt_args\n  _arguments -s \\\n${lines}\n}\n`
    : `${nameOf(path)}() {
  local context state state_descr line
  local -A opt_args
  _arguments -C -s \\
${lines}
  case $state in
  command) local -a named=(${described.join(' ')}); _describe command named ;;
  word) case $line[1] in
${turns.join('\n')}
    esac ;;
  esac
}
`;
}

function actionOf(is: Kind): string {
  switch (is.kind) {
    case 'none':
      return ' ';
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'words':
      return `(${is.words.join(' ')})`;
    case 'targets':
      return '__receiptd_targets';
    case 'documents':
    case 'endpoints':
      return `{__receiptd_ask ${is.kind}}`;
  }
}

/** Brackets and colons mean something to \`_arguments\`. */
function plain(text: string): string {
  return text.replace(/[[\]:\\]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
