/**
 * The commands of the page and their keys: one table for keys, the sheet of keys and tooltips. A
 * letter never acts while something is being typed.
 */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Command {
  /** As in `event.key`; `Mod+` is Control, or Command on a Mac. */
  key?: string;
  words: string;
  run(): void;
}

/** The commands that are offered now, the latest last. */
export const offered = signal<readonly Command[]>([]);

export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    offered.value = [...offered.value, ...commands];
    return () => {
      offered.value = offered.value.filter((command) => !commands.includes(command));
    };
  });
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function toKey(event: KeyboardEvent): string {
  const modifier = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  return modifier + event.key;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key as people read it. */
export const formatKey = (key: string): string =>
  key.startsWith('Mod+') ? `${isMac ? '⌘' : 'Ctrl '}${key.slice(4).toUpperCase()}` : key;

export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  // A dialog has keys of its own.
  if (document.querySelector('dialog[open]')) return;
  const key = toKey(event);
  if (isTyping(event.target) && !key.startsWith('Mod+') && key !== 'Escape') return;
  const command = offered.value.findLast((each) => each.key === key);
  if (!command) return;
  event.preventDefault();
  command.run();
}
