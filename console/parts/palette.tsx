/** All commands that are possible now, with their keys: found by words, or read as the sheet of keys. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { navigate } from '../state/address.ts';
import { type Command, formatKey, offered, useCommands } from '../state/commands.ts';
import type { NavigationEntry } from './frame.tsx';

export function Palette({ entries }: { entries: NavigationEntry[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = useSignal(false);
  const open = () => {
    isOpen.value = true;
  };
  useCommands([
    { key: 'Mod+k', words: 'Find a command', run: open },
    { key: '?', words: 'Show all keys', run: open },
  ]);
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
  }, [isOpen.value]);
  return (
    <>
      <button type="button" class="keys" onClick={open}>
        <kbd>{formatKey('Mod+k')}</kbd> commands
      </button>
      {isOpen.value && (
        <dialog
          ref={dialog}
          class="palette"
          aria-label="Commands"
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <CommandList entries={entries} onDone={() => dialog.current?.close()} />
        </dialog>
      )}
    </>
  );
}

function CommandList({ entries, onDone }: { entries: NavigationEntry[]; onDone(): void }) {
  const words = useSignal('');
  const current = useSignal(0);
  // Without those that open this list.
  const possible = offered.value.filter(({ key }) => key !== 'Mod+k' && key !== '?');
  const commands: Command[] = [
    ...possible.filter(({ key }) => key),
    ...entries.map(({ path, label }) => ({ words: `Go to ${label}`, run: () => navigate(path) })),
    ...possible.filter(({ key }) => !key),
  ];
  const wanted = words.value.toLowerCase().split(/\s+/);
  const shown = commands.filter(({ words: text }) =>
    wanted.every((word) => text.toLowerCase().includes(word)),
  );
  const index = Math.min(current.value, shown.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onDone();
    command.run();
  };
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) current.value = (index + step + shown.length) % Math.max(1, shown.length);
    else if (event.key === 'Enter') run(shown[index]);
    else return;
    event.preventDefault();
  }
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label="Find a command"
        aria-controls="commands"
        aria-expanded="true"
        aria-activedescendant={shown.length > 0 ? `command-${index}` : undefined}
        placeholder="What do you want to do?"
        autofocus
        value={words.value}
        onInput={({ currentTarget }) => {
          words.value = currentTarget.value;
          current.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Commands" tabIndex={-1}>
        {shown.map((command, i) => (
          <div
            key={command.words}
            id={`command-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === index}
            onClick={() => run(command)}
            onKeyDown={onKeyDown}
          >
            {command.words}
            {command.key && <kbd>{formatKey(command.key)}</kbd>}
          </div>
        ))}
      </div>
    </>
  );
}
