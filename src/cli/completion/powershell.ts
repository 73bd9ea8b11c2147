import { kindWord } from './bash.ts';
import type { CommandWords } from './words.ts';

/** For `receiptd completion powershell | Out-String | Invoke-Expression`, in `$PROFILE`. */
export function powershellScript(all: readonly CommandWords[]): string {
  return `# PowerShell completion of receiptd; made by \`receiptd completion powershell\`.
Register-ArgumentCompleter -Native -CommandName receiptd -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $known = @{
${all.map(entryOf).join('\n')}
  }
  $path = ''
  $wants = $null
  $places = 0
  $config = @()
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  foreach ($word in $before) {
    if ($null -ne $wants -and -not $word.StartsWith('-')) {
      if ($wants.Flag -eq '--config') { $config = @('--config', $word) }
      if (-not $wants.Many) { $wants = $null }
      continue
    }
    $wants = $null
    $here = $known[$path]
    if ($word.StartsWith('-')) {
      if ($here.Values.ContainsKey($word)) { $wants = @{ Flag = $word } + $here.Values[$word] }
    } elseif ($here.Commands -contains $word) { $path = "$path $word".Trim() }
    else { $places += 1 }
  }
  $here = $known[$path]
  $kind = 'none'
  if ($null -ne $wants -and -not ($wants.Many -and $wordToComplete.StartsWith('-'))) { $kind = $wants.Kind }
  elseif ($wordToComplete.StartsWith('-')) { $kind = "words:$($here.Options -join ' ')" }
  elseif ($here.Commands.Count -gt 0 -and $places -eq 0) { $kind = "words:$($here.Commands -join ' ')" }
  elseif ($here.Places.Count -gt 0) { $kind = $here.Places[[Math]::Min($places, $here.Places.Count - 1)] }
  $offered = @()
  if ($kind.StartsWith('words:')) { $offered = $kind.Substring(6).Split(' ') }
  elseif ($kind -eq 'documents') { $offered = @(receiptd complete documents $wordToComplete @config 2>$null) }
  elseif ($kind -in 'endpoints', 'targets') { $offered = @(receiptd complete endpoints $wordToComplete @config 2>$null) }
  # For files and folders PowerShell has an answer of its own, if this gives none.
  $offered | Where-Object { $_ -like "$wordToComplete*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`;
}

function entryOf({ path, commands, options, places }: CommandWords): string {
  const values = options.flatMap(({ flags, value }) =>
    value === null
      ? []
      : flags.map(
          (flag) =>
            `${quoted(flag)} = @{ Kind = ${quoted(kindWord(value.is))}; Many = $${String(value.variadic)} }`,
        ),
  );
  return `    ${quoted(path.join(' '))} = @{
      Commands = ${list(commands.map(({ name }) => name))}
      Options = ${list(options.flatMap(({ flags }) => flags))}
      Places = ${list(places.map(({ is }) => kindWord(is)))}
      Values = @{ ${values.join('; ')} }
    }`;
}

function list(words: readonly string[]): string {
  return `@(${words.map(quoted).join(', ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
