/** A secret that is shown once, with a button that copies it. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

interface OnceProps {
  title: string;
  hint: string;
  value: string;
  onDone(): void;
}

export function Once({ title, hint, value, onDone }: OnceProps) {
  const field = useRef<HTMLInputElement>(null);
  const isCopied = useSignal(false);
  useEffect(() => field.current?.select(), [value]);
  async function copy() {
    // Without a secure context there is no clipboard: the text is selected, to be copied by hand.
    field.current?.select();
    await navigator.clipboard?.writeText(value);
    isCopied.value = true;
  }
  return (
    <div class="card once" role="status">
      <strong>{title}</strong>
      <p class="quiet">{hint}</p>
      <div class="bar">
        <input ref={field} class="search" aria-label={title} readOnly value={value} />
        <button type="button" class="button primary" onClick={copy}>
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
        <button type="button" class="button" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
