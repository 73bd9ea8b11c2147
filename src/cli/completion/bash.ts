import type { CommandWords, Kind } from './words.ts';

/** How a shell function is told of a kind: one word, with the words to offer behind a colon. */
export function kindWord(is: Kind): string {
  return is.kind === 'words' ? `words:${is.words.join(' ')}` : is.kind;
}

/** For `eval "$(receiptd completion bash)"`, or a file in bash-completion's directory. Needs bash 4. */
export function bashScript(all: readonly CommandWords[]): string {
  return `# bash completion of receiptd; made by \`receiptd completion bash\`.
__receiptd_known() { # path: sets commands, options
  commands= options=
  case $1 in
${all.map(knownCase).join('\n')}
  esac
}

__receiptd_value() { # path, option: sets kind and many; fails where it takes no value
  many=
  case "$1|$2" in
${all.flatMap(valueCases).join('\n')}
  *) return 1 ;;
  esac
}

__receiptd_place() { # path, number: sets kind
  kind=none
  case $1 in
${all.flatMap(placeCase).join('\n')}
  esac
}

__receiptd_ask() { # what: values of this machine's agent; nothing where it says nothing
  local -a config=()
  [ -n "$configFile" ] && config=(--config "$configFile")
  "\${COMP_WORDS[0]}" complete "$1" "$cur" "\${config[@]}" 2>/dev/null
}

__receiptd_lines() { # words on lines: offers those that begin as what is typed
  local line
  while IFS= read -r line; do
    [[ -n $line && $line == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$line")")
  done
}

__receiptd_paths() { # -f or -d
  local line
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$cur")
}

__receiptd() {
  local path= kind= many= option= commands= options= configFile= word next
  local -i at=1 place=0
  local cur=\${COMP_WORDS[COMP_CWORD]}
  local -a before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
  # --config=FILE comes as three words.
  [ "$cur" = = ] && cur=
  __receiptd_known ''
  local wants= dashes=
  for word in "\${before[@]}"; do
    if [ -n "$wants" ]; then
      case $word in
      =) continue ;;
      -*) [ -z "$many" ] && { wants=; continue; } ;;
      *) [ "$wants" = --config ] && configFile=$word; [ -z "$many" ] && wants=; continue ;;
      esac
    fi
    wants=
    if [ -n "$dashes" ]; then place+=1; continue; fi
    case $word in
    --) dashes=1 ;;
    -*) __receiptd_value "$path" "$word" && wants=$word ;;
    *)
      if [[ " $commands " == *" $word "* ]]; then
        path="\${path:+$path }$word"
        __receiptd_known "$path"
      else place+=1; fi
      ;;
    esac
  done
  if [ -n "$wants" ] && [[ -z $many || $cur != -* ]]; then __receiptd_value "$path" "$wants"
  elif [[ -z $dashes && $cur == -* ]]; then kind="words:$options"
  elif [ -n "$commands" ] && [ "$place" -eq 0 ]; then kind="words:$commands"
  else __receiptd_place "$path" "$place"; fi
  case $kind in
  words:*) COMPREPLY=($(compgen -W "\${kind#words:}" -- "$cur")) ;;
  files) __receiptd_paths -f ;;
  folders) __receiptd_paths -d ;;
  targets) __receiptd_lines < <(__receiptd_ask endpoints); __receiptd_paths -d ;;
  documents | endpoints) __receiptd_lines < <(__receiptd_ask "$kind") ;;
  esac
}
complete -F __receiptd receiptd
`;
}

function knownCase({ path, commands, options }: CommandWords): string {
  const names = commands.map(({ name }) => name).join(' ');
  const flags = options.flatMap((option) => option.flags).join(' ');
  return `  '${path.join(' ')}') commands='${names}' options='${flags}' ;;`;
}

function valueCases({ path, options }: CommandWords): string[] {
  return options.flatMap(({ flags, value }) =>
    value === null
      ? []
      : [
          `  ${flags.map((flag) => `'${path.join(' ')}|${flag}'`).join(' | ')}) kind='${kindWord(value.is)}'${value.variadic ? ' many=1' : ''} ;;`,
        ],
  );
}

function placeCase({ path, places }: CommandWords): string[] {
  if (places.length === 0) return [];
  const cases = places.map(({ is, variadic }, at) => `${variadic ? '*' : at}) kind='${kindWord(is)}' ;;`);
  return [`  '${path.join(' ')}') case $2 in ${cases.join(' ')} esac ;;`];
}
