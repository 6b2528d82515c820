import { useState } from "preact/hooks";
import { t } from "../../../platform/i18n/i18n.ts";
import { useResource } from "../../../platform/resource.ts";
import { toast } from "../../../platform/toasts.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { SelectField } from "../../../ui/form/select-field.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { dashboardsApi, type Widget } from "../dashboards-api.ts";
import { type Board, boardOf, formOf, withCopy } from "./board.ts";
import { drafts } from "./drafts.ts";
import { step } from "./edit-history.ts";

/** Copies a widget on its dashboard, to another one, which is saved, or to the unsaved changes of another one. */
export function CopyDialog(props: {
  dashboardId: string | undefined;
  board: Board;
  widget: Widget;
  title: string;
  onChange: (board: Board) => void;
  onClose: () => void;
}) {
  const { board, widget, onClose } = props;
  const list = useResource(dashboardsApi.list, []);
  const [target, setTarget] = useState("");
  const draft = drafts.get(target);
  const hint = draft === undefined ? "copy.hint" : "copy.draftHint";
  const action = useAction();
  const copy = async () => {
    if (target === "") props.onChange(withCopy(board, widget, board));
    else if (draft !== undefined) {
      const { history } = draft;
      drafts.set(target, { ...draft, history: step(history, withCopy(history.now, widget, board)) });
      toast("success", t("copy.done", { name: history.now.name }));
    } else {
      const other = await dashboardsApi.get(target);
      await dashboardsApi.update(target, formOf(withCopy(boardOf(other), widget, board)), other.updatedAt);
      toast("success", t("copy.done", { name: other.name }));
    }
    onClose();
  };
  return (
    <FormDialog
      title={t("board.copy", { name: props.title })}
      submitText={t("common.copy")}
      onSubmit={() => action.run(copy)}
      busy={action.busy}
      error={action.error}
      onClose={onClose}
    >
      <SelectField
        label={t("copy.to")}
        hint={target === "" ? undefined : t(hint)}
        value={target}
        options={[
          ["", t("copy.here")],
          ...(list.data ?? [])
            .filter(({ id }) => id !== props.dashboardId)
            .map(({ id, name }) => [id, name] as const),
        ]}
        onSelect={setTarget}
      />
    </FormDialog>
  );
}
