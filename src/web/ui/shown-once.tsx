import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

/** A text to copy, with its name. */
export const Copyable = (props: { name: string; text: string; copyText: string }) => (
  <div class="flex flex-col gap-2 rounded-field bg-base-200 p-3">
    <div class="flex items-center justify-between gap-3">
      <span class="panel-label">{props.name}</span>
      <CopyButton text={props.text} label={props.copyText} />
    </div>
    <code class="reading text-sm break-all whitespace-pre-wrap" data-testid="copyable">
      {props.text}
    </code>
  </div>
);

interface Props {
  readonly title: string;
  /** Note that the content is shown once. */
  readonly note: ComponentChildren;
  readonly doneText: string;
  readonly onClose: () => void;
  readonly testId?: string;
  readonly children: ComponentChildren;
}

/** A dialog with secrets that are shown once; a click beside it does not close it. */
export const ShownOnce = (props: Props) => (
  <Dialog key="once" title={props.title} onClose={props.onClose} firm>
    <div class="flex flex-col gap-4" data-testid={props.testId}>
      <div role="status">{props.note}</div>
      {props.children}
      <div class="flex justify-end">
        <button type="button" class="btn btn-primary" onClick={props.onClose}>
          {props.doneText}
        </button>
      </div>
    </div>
  </Dialog>
);
