/** The file of an import: dropped, chosen or pasted. The text of a small file can be edited. */
import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';

const PASTED = 'pasted.txt';
/** A longer text is imported as it is. */
const MAX_EDITED_BYTES = 300_000;
const ROWS = 12;

export interface ImportFile {
  file: File;
  /** Undefined if the file is not a text, or too long to be edited. */
  text: string | undefined;
}

export async function openFile(file: File): Promise<ImportFile> {
  if (file.size > MAX_EDITED_BYTES) return { file, text: undefined };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return { file, text: text.includes('\0') ? undefined : text };
  } catch {
    return { file, text: undefined };
  }
}

/** The name, by which the format is recognised, is kept. */
const edit = (chosen: ImportFile | undefined, text: string): ImportFile | undefined =>
  text.trim() === '' ? undefined : { file: new File([text], chosen?.file.name ?? PASTED), text };

/** Selects a line of the text, the first being 1. */
export function showLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = (area.scrollHeight / Math.max(1, lines.length)) * Math.max(0, line - ROWS / 2);
}

interface FileFieldProps {
  chosen: ImportFile | undefined;
  isEditing: Signal<boolean>;
  area: RefObject<HTMLTextAreaElement | null>;
  onChoose(file: ImportFile | undefined): void;
}

export function FileField({ chosen, isEditing, area, onChoose }: FileFieldProps) {
  const isOver = useSignal(false);
  const open = async (file: File | undefined) => onChoose(file && (await openFile(file)));
  const hasText = chosen === undefined || chosen.text !== undefined;
  return (
    <>
      <label
        class={isOver.value ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          isOver.value = true;
        }}
        onDragLeave={() => {
          isOver.value = false;
        }}
        onDrop={(event) => {
          event.preventDefault();
          isOver.value = false;
          void open(event.dataTransfer?.files[0]);
        }}
      >
        <span>
          {chosen && chosen.file.name !== PASTED ? chosen.file.name : 'Drop a file here, or choose one'}
        </span>
        <input type="file" onChange={({ currentTarget }) => void open(currentTarget.files?.[0])} />
      </label>
      {hasText && (
        <details
          class="history"
          open={isEditing.value}
          onToggle={({ currentTarget }) => {
            isEditing.value = currentTarget.open;
          }}
        >
          <summary>{chosen ? 'The text of the file' : 'Or paste the text'}</summary>
          <textarea
            ref={area}
            class="search paste"
            rows={ROWS}
            spellcheck={false}
            aria-label="Text to import"
            value={chosen?.text ?? ''}
            onInput={({ currentTarget }) => onChoose(edit(chosen, currentTarget.value))}
          />
        </details>
      )}
    </>
  );
}
