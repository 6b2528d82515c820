import { t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";

/** Last part of a form that adds objects found on a server: the choice to keep units and names, and the buttons. */
export function AddFound(props: {
  keepsMeanings: boolean;
  onKeepsMeanings: (keeps: boolean) => void;
  error: unknown;
  isDisabled: boolean;
  text: string;
  onClose: () => void;
}) {
  return (
    <>
      <ErrorNote error={props.error} />
      {may("profiles:write") && (
        <Checkbox checked={props.keepsMeanings} onCheck={props.onKeepsMeanings}>
          {t("fieldUnit.keepsMeanings")}
        </Checkbox>
      )}
      <div class="flex justify-end gap-2">
        <button type="button" class="btn btn-ghost" onClick={props.onClose}>
          {t("common.cancel")}
        </button>
        <button type="submit" class="btn btn-primary" disabled={props.isDisabled}>
          {props.text}
        </button>
      </div>
    </>
  );
}
