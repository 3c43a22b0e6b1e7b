/** Imports a file in three steps: choose it, see what would become of it, import it. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { FileField, type ImportFile, openFile, showLine } from '../parts/import-file.tsx';
import { ImportReport } from '../parts/import-report.tsx';
import { undoChange } from '../state/changes.ts';
import { DIFFICULTIES, plural } from '../state/format.ts';
import { type Import as ImportData, type ImportOptions, importFile } from '../state/imports.ts';
import { reloadAll, useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

export function Import() {
  const chosen = useSignal<ImportFile | undefined>(undefined);
  const isEditing = useSignal(false);
  const area = useRef<HTMLTextAreaElement>(null);
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
      const done = await importFile(chosen.value!.file, options.value, dryRun, (next) => {
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
  const choose = (next: ImportFile | undefined) => {
    chosen.value = next;
    report.value = undefined;
  };
  const editLine = (line: number) => {
    isEditing.value = true;
    // Once the text is shown.
    requestAnimationFrame(() => area.current && showLine(area.current, line));
  };
  const editRejected = async () => {
    const response = await fetch(`/imports/${report.value!.id}/rejects`);
    const name = chosen.value!.file.name;
    choose(await openFile(new File([await response.arrayBuffer()], name)));
    isEditing.value = true;
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
      <FileField chosen={chosen.value} isEditing={isEditing} area={area} onChoose={choose} />
      <Options options={options.value} onChange={set} />
      <p class="actions">
        <button
          type="button"
          class={report.value ? 'button' : 'button primary'}
          disabled={!chosen.value || isBusy}
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
      <div role="status">
        {report.value && (
          <ImportReport
            report={report.value}
            {...(chosen.value?.text !== undefined && { onEditLine: editLine, onEditRejected: editRejected })}
          />
        )}
      </div>
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
