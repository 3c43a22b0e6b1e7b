/** Scripts that complete commands, options and their values in a shell, from the table of commands. */
import {
  COMMON_OPTIONS,
  type Command,
  type CommandTable,
  listCommands,
  type Option,
  type Outcome,
  UsageError,
} from './command.ts';

const SHELLS: Record<string, (table: CommandTable) => string> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

export async function printCompletion(
  [shell]: string[],
  _options: object,
  table: CommandTable,
): Promise<Outcome> {
  if (!Object.hasOwn(SHELLS, shell!))
    throw new UsageError(`The shell must be one of ${Object.keys(SHELLS).join(', ')}.`);
  const text = SHELLS[shell!]!(table);
  return { data: { shell, script: text }, text };
}

const listOptions = ({ options }: Command): [string, Option][] =>
  Object.entries({ ...options, ...COMMON_OPTIONS });

const listFirstWords = (table: CommandTable) => [
  ...new Set(listCommands(table).map(({ name }) => name.split(' ')[0]!)),
];

const listVerbs = (noun: string, table: CommandTable) =>
  listCommands(table).filter(({ name }) => name.startsWith(`${noun} `));

/** The choices of options by `COMMAND --OPTION`, as branches of a shell's `case`. */
const renderValueCases = (table: CommandTable, render: (choices: readonly string[]) => string) =>
  listCommands(table)
    .flatMap((command) =>
      listOptions(command).flatMap(([option, { choices }]) =>
        choices ? [`    "${command.name} --${option}") ${render(choices)} ;;`] : [],
      ),
    )
    .join('\n');

const listWordCases = (table: CommandTable): [string, string[]][] => [
  ...Object.keys(table.nouns).map((noun): [string, string[]] => [
    noun,
    listVerbs(noun, table).map(({ name }) => name.split(' ')[1]!),
  ]),
  ...listCommands(table).map((command): [string, string[]] => [
    command.name,
    listOptions(command).map(([option]) => `--${option}`),
  ]),
];

/** The line is split at spaces alone: bash also splits it at the colons of scopes. */
function renderBash(table: CommandTable): string {
  const words = listWordCases(table)
    .map(([name, list]) => `    "${name}") words="${list.join(' ')}" ;;`)
    .join('\n');
  return `# Completion of quaestor for bash.
_quaestor() {
  local line="\${COMP_LINE:0:COMP_POINT}" given current previous command words="" prefix
  read -ra given <<< "$line"
  [[ $line == *' ' ]] && given+=("")
  current="\${given[-1]}"
  previous="\${given[-2]}"
  command="\${given[1]}"
  case "$command" in
    ${Object.keys(table.nouns).join('|')}) [[ \${#given[@]} -gt 3 ]] && command="$command \${given[2]}" ;;
  esac
  if [[ \${#given[@]} -le 2 ]]; then words="${listFirstWords(table).join(' ')} --help --version"
  else case "$command $previous" in
${renderValueCases(table, (choices) => `words="${choices.join(' ')}"`)}
    *) case "$command" in
${words}
    esac ;;
  esac; fi
  [[ $words == --* && $current != -* ]] && words=""
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ $COMP_WORDBREAKS == *:* ]]; then
    prefix="\${current%"\${current##*:}"}"
    COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  fi
}
complete -o default -F _quaestor quaestor
`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function renderZsh(table: CommandTable): string {
  const describe = (entries: [string, string][]) =>
    entries.map(([name, text]) => quote(`${name.replaceAll(':', '\\:')}:${text}`)).join(' ');
  const commands = listFirstWords(table).map((word): [string, string] => [
    word,
    table.nouns[word] ?? listCommands(table).find(({ name }) => name === word)!.summary,
  ]);
  const nouns = Object.keys(table.nouns).map((noun) => {
    const verbs = listVerbs(noun, table).map(({ name, summary }): [string, string] => [
      name.split(' ')[1]!,
      summary,
    ]);
    return `    "${noun}") list=(${describe(verbs)}) ;;`;
  });
  const options = listCommands(table).map((command) => {
    const list = listOptions(command).map(([name, { description }]): [string, string] => [
      `--${name}`,
      description,
    ]);
    return `    "${command.name}") list=(${describe(list)}) ;;`;
  });
  return `#compdef quaestor
# Completion of quaestor for zsh.
_quaestor() {
  local command="$words[2]" previous="$words[CURRENT-1]"
  local -a list
  case "$command" in
    ${Object.keys(table.nouns).join('|')}) (( CURRENT > 3 )) && command="$command $words[3]" ;;
  esac
  if (( CURRENT == 2 )); then
    list=(${describe(commands)})
    _describe command list
    return
  fi
  case "$command $previous" in
${renderValueCases(table, (choices) => `compadd -- ${choices.map(quote).join(' ')}; return`)}
  esac
  case "$command" in
${[...nouns, ...options].join('\n')}
  esac
  if [[ $PREFIX != -* && $list[1] == --* ]]; then _files; else _describe option list; fi
}
if [[ $funcstack[1] == _quaestor ]]; then _quaestor "$@"; else compdef _quaestor quaestor; fi
`;
}

function renderFish(table: CommandTable): string {
  const lines = ['# Completion of quaestor for fish.'];
  const seen = (words: string) =>
    words
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
  for (const word of listFirstWords(table)) {
    const summary = table.nouns[word] ?? listCommands(table).find(({ name }) => name === word)!.summary;
    lines.push(`complete -c quaestor -f -n __fish_use_subcommand -a ${word} -d ${quote(summary)}`);
  }
  for (const noun of Object.keys(table.nouns)) {
    const verbs = listVerbs(noun, table);
    const names = verbs.map(({ name }) => name.split(' ')[1]!);
    for (const [i, { summary }] of verbs.entries()) {
      const condition = `${seen(noun)}; and not __fish_seen_subcommand_from ${names.join(' ')}`;
      lines.push(`complete -c quaestor -f -n ${quote(condition)} -a ${names[i]} -d ${quote(summary)}`);
    }
  }
  for (const command of listCommands(table))
    for (const [name, { value, choices, description }] of listOptions(command)) {
      const values = choices ? ` -x -a ${quote(choices.join(' '))}` : value === undefined ? '' : ' -r';
      lines.push(
        `complete -c quaestor -n ${quote(seen(command.name))} -l ${name}${values} -d ${quote(description)}`,
      );
    }
  return `${lines.join('\n')}\n`;
}
