/** A button for what cannot be undone: the second press acts. */
import { useSignal } from '@preact/signals';

interface ConfirmButtonProps {
  label: string;
  /** What the second press does. */
  question: string;
  onConfirm(): void;
}

export function ConfirmButton({ label, question, onConfirm }: ConfirmButtonProps) {
  const isAsked = useSignal(false);
  return (
    <button
      type="button"
      class={isAsked.value ? 'button danger' : 'button plain'}
      onBlur={() => {
        isAsked.value = false;
      }}
      onClick={() => {
        if (isAsked.value) onConfirm();
        isAsked.value = !isAsked.value;
      }}
    >
      {isAsked.value ? question : label}
    </button>
  );
}
