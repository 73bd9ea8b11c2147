import type { CommandWords, Kind } from './words.ts';

/** For `receiptd completion fish | source`, or a file in fish's `completions` directory. */
export function fishScript(all: readonly CommandWords[]): string {
  const groups = all.filter(({ commands }) => commands.length > 0).map(({ path }) => path.join(' '));
  return `# fish completion of receiptd; made by \`receiptd completion fish\`.
function __receiptd_path
    set -l path
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        contains -- "$path" ${groups.map(quoted).join(' ')}; or break
        set -a path $word
    end
    echo "$path"
end

function __receiptd_at
    test "$(__receiptd_path)" = "$argv"
end

function __receiptd_ask
    set -l words (commandline -opc)
    set -l config
    if set -l at (contains -i -- --config $words)
        set config --config $words[(math $at + 1)]
    end
    receiptd complete $argv[1] (commandline -ct) $config 2>/dev/null
end

complete -c receiptd -f
${all.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, places }: CommandWords): string[] {
  const at = `complete -c receiptd -n ${quoted(`__receiptd_at ${quoted(path.join(' '))}`)}`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
    ...options.map(({ flags, description, value }) => {
      const names = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const takes = value === null ? '' : ` ${valueOf(value.is)}`;
      return `${at} ${names.join(' ')} -d ${quoted(description)}${takes}`;
    }),
    ...places.flatMap(({ is }) => (is.kind === 'none' ? [] : [`${at} ${placeOf(is)}`])),
  ];
}

function valueOf(is: Kind): string {
  return is.kind === 'files' ? '-rF' : `-x ${given(is)}`.trimEnd();
}

function placeOf(is: Kind): string {
  return is.kind === 'files' ? '-F' : given(is);
}

function given(is: Kind): string {
  switch (is.kind) {
    case 'none':
    case 'files':
      return '';
    case 'folders':
      return quotedList('(__fish_complete_directories)');
    case 'words':
      return quotedList(is.words.join(' '));
    case 'targets':
      return quotedList('(__receiptd_ask endpoints; __fish_complete_directories)');
    case 'documents':
    case 'endpoints':
      return quotedList(`(__receiptd_ask ${is.kind})`);
  }
}

function quotedList(text: string): string {
  return `-a ${quoted(text)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}
