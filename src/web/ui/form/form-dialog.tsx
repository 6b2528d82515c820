import type { ComponentChildren } from "preact";
import { Dialog } from "../dialog.tsx";
import { FormButtons } from "./form-buttons.tsx";

interface Props {
  readonly title: string;
  readonly submitText: string;
  readonly busy: boolean;
  readonly error?: unknown;
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly onClose: () => void;
  /** See `Dialog`. */
  readonly firm?: boolean;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** A form in a dialog, with its buttons. */
export const FormDialog = ({
  title,
  submitText,
  busy,
  error,
  onSubmit,
  onClose,
  children,
  ...dialog
}: Props) => (
  <Dialog title={title} onClose={onClose} {...dialog}>
    <form
      class="flex flex-col gap-4"
      onSubmit={(e) => {
        e.preventDefault();
        onSubmit(e.currentTarget);
      }}
    >
      {children}
      <FormButtons busy={busy} error={error} onCancel={onClose}>
        {submitText}
      </FormButtons>
    </form>
  </Dialog>
);
