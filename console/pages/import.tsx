/** Imports a file in three steps: choose it, see what would become of it, import it. */
import { useSignal } from '@preact/signals';
import { ImportReport } from '../parts/import-report.tsx';
import { undoChange } from '../state/changes.ts';
import { DIFFICULTIES, plural } from '../state/format.ts';
import { type Import as ImportData, type ImportOptions, importFile } from '../state/imports.ts';
import { reloadAll, useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

const PASTED = 'pasted.txt';

export function Import() {
  const file = useSignal<File | undefined>(undefined);
  const options = useSignal<ImportOptions>({
    category: '',
    difficulty: '',
    on_match: 'skip',
    create_categories: false,
  });
  const report = useSignal<ImportData | undefined>(undefined);
  const progress = useSignal<number | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);

  async function send(dryRun: boolean) {
    failure.value = undefined;
    progress.value = 0;
    try {
      const done = await importFile(file.value!, options.value, dryRun, (next) => {
        progress.value = next;
      });
      report.value = done;
      if (!dryRun) reloadAll();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : 'The file could not be imported.';
    } finally {
      progress.value = undefined;
    }
  }

  /** A new file or option makes the report void. */
  const choose = (next: File | undefined) => {
    file.value = next;
    report.value = undefined;
  };
  const set = (changes: Partial<ImportOptions>) => {
    options.value = { ...options.value, ...changes };
    report.value = undefined;
  };
  const isDone = report.value?.options.dry_run === false && report.value.status === 'succeeded';
  const isBusy = progress.value !== undefined;
  const importable = (report.value?.created ?? 0) + (report.value?.updated ?? 0);
  return (
    <>
      <h1>Import</h1>
      <p class="lead">
        GIFT, Moodle XML, QTI, Aiken, CSV, Excel, JSON, Anki and others; the format is recognised. Nothing is
        stored before you have seen what would become of the file, and an import can be undone as a whole.
      </p>
      <FileField file={file.value} onChoose={choose} />
      <Options options={options.value} onChange={set} />
      <p class="actions">
        <button
          type="button"
          class={report.value ? 'button' : 'button primary'}
          disabled={!file.value || isBusy}
          onClick={() => send(true)}
        >
          Check the file
        </button>{' '}
        {report.value?.options.dry_run && importable > 0 && (
          <button type="button" class="button primary" disabled={isBusy} onClick={() => send(false)}>
            Import {plural(importable, 'question')}
          </button>
        )}
        {isDone && (
          <>
            <a class="button primary" href="/console/questions">
              Look at the questions
            </a>{' '}
            <button
              type="button"
              class="button"
              onClick={() => void undoChange(report.value!.id).then(() => choose(undefined))}
            >
              Undo this import
            </button>
          </>
        )}
      </p>
      {isBusy && <progress aria-label="Progress of the import" max={1} value={progress.value ?? 0} />}
      <div role="alert">{failure.value && <p class="notice bad">{failure.value}</p>}</div>
      <div role="status">{report.value && <ImportReport report={report.value} />}</div>
    </>
  );
}

function FileField({ file, onChoose }: { file: File | undefined; onChoose(file: File | undefined): void }) {
  const isOver = useSignal(false);
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
          onChoose(event.dataTransfer?.files[0]);
        }}
      >
        <span>{file && file.name !== PASTED ? file.name : 'Drop a file here, or choose one'}</span>
        <input type="file" onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])} />
      </label>
      <details class="history">
        <summary>Or paste the text</summary>
        <textarea
          class="search paste"
          rows={8}
          aria-label="Text to import"
          onInput={({ currentTarget }) =>
            onChoose(currentTarget.value.trim() === '' ? undefined : new File([currentTarget.value], PASTED))
          }
        />
      </details>
    </>
  );
}

interface OptionsProps {
  options: ImportOptions;
  onChange(changes: Partial<ImportOptions>): void;
}

function Options({ options, onChange }: OptionsProps) {
  const categories = useResource<{ data: { name: string }[] }>('/categories');
  return (
    <div class="import-options">
      <label>
        Questions without a category
        <select
          value={options.category}
          onChange={({ currentTarget }) => onChange({ category: currentTarget.value })}
        >
          <option value="">are rejected</option>
          {categories.data?.data.map(({ name }) => (
            <option key={name} value={name}>
              go to {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Questions without a difficulty
        <select
          value={options.difficulty}
          onChange={({ currentTarget }) => onChange({ difficulty: currentTarget.value })}
        >
          <option value="">are rejected</option>
          {DIFFICULTIES.map((name, level) => (
            <option key={name} value={String(level)}>
              are {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Questions that the bank has
        <select
          value={options.on_match}
          onChange={({ currentTarget }) => onChange({ on_match: currentTarget.value })}
        >
          <option value="skip">are skipped</option>
          <option value="update">are updated</option>
          <option value="error">are rejected</option>
        </select>
      </label>
      {may('categories:write') && (
        <label>
          Categories new to the bank
          <select
            value={String(options.create_categories)}
            onChange={({ currentTarget }) => onChange({ create_categories: currentTarget.value === 'true' })}
          >
            <option value="false">are rejected</option>
            <option value="true">are created</option>
          </select>
        </label>
      )}
    </div>
  );
}
