/*
 * Shell completion scripts, which call `receiptd complete`. The first argument is the word being typed, prefixed with =
 * because PowerShell drops empty arguments; the words before it follow. The answer has one word per line, with a
 * tab-separated description; `:files` and `:folders` leave path completion to the shell.
 */

/** For `eval "$(receiptd completion bash)"`, or a file in bash-completion's directory. Needs bash 4. */
const BASH = `# bash completion of receiptd; made by \`receiptd completion bash\`.
__receiptd_paths() { # -f or -d
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$cur")
}

__receiptd() {
  local line cur=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  # --config=FILE comes as three words.
  [ "$cur" = = ] && cur=
  while IFS= read -r line; do
    case $line in
    :files) __receiptd_paths -f ;;
    :folders) __receiptd_paths -d ;;
    *) COMPREPLY+=("$(printf '%q' "\${line%%$'\\t'*}")") ;;
    esac
  done < <("\${COMP_WORDS[0]}" complete -- "=$cur" "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -F __receiptd receiptd
`;

/** For `source <(receiptd completion zsh)`, or a file `_receiptd` in a directory of `$fpath`. */
const ZSH = `#compdef receiptd
# zsh completion of receiptd; made by \`receiptd completion zsh\`.
_receiptd() {
  local line
  local -a before described
  (( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
  for line in "\${(@f)$(receiptd complete -- "=\${(Q)PREFIX}" "\${before[@]}" 2>/dev/null)}"; do
    case $line in
    '') ;;
    :files) _files ;;
    :folders) _files -/ ;;
    *) described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#described )) && _describe receiptd described
}
if [[ $funcstack[1] = _receiptd ]]; then _receiptd "$@"; else compdef _receiptd receiptd; fi
`;

/** For `receiptd completion fish | source`, or a file in fish's `completions` directory. */
const FISH = `# fish completion of receiptd; made by \`receiptd completion fish\`.
function __receiptd_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (receiptd complete -- "=$current" $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c receiptd -f -a '(__receiptd_complete)'
`;

/** For `receiptd completion powershell | Out-String | Invoke-Expression`, in `$PROFILE`. */
const POWERSHELL = `# PowerShell completion of receiptd; made by \`receiptd completion powershell\`.
Register-ArgumentCompleter -Native -CommandName receiptd -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  # For files and folders PowerShell has an answer of its own, if this gives none.
  receiptd complete '--' "=$wordToComplete" @before 2>$null | Where-Object { -not $_.StartsWith(':') } |
    ForEach-Object {
      $value, $what = $_ -split "\`t", 2
      if (-not $what) { $what = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $what)
    }
}
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

/** The line that each shell needs in its own startup file. */
export const STARTED_BY = [
  '  ~/.bashrc    eval "$(receiptd completion bash)"',
  '  ~/.zshrc     source <(receiptd completion zsh)',
  '  config.fish  receiptd completion fish | source',
  '  $PROFILE     receiptd completion powershell | Out-String | Invoke-Expression',
] as const;
