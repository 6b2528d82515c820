import { BellOff, Check, MessageSquare } from "lucide-preact";
import { useState } from "preact/hooks";
import { formatCount } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { toast } from "../../../platform/toasts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { type Alarm, alarmsApi } from "../alarms-api.ts";
import { CommentForm } from "./comment-form.tsx";

/** Max. alarms that can be handled together. */
export const BULK_MAX = 10_000;

const doneTexts = {
  acknowledge: "alarms.acknowledgedCount",
  clear: "alarms.clearedCount",
  comment: "alarms.commentedCount",
} as const;

interface Props {
  /** Displayed alarms. */
  readonly rows: readonly Alarm[];
  /** Number of matching alarms. */
  readonly total: number;
  readonly loadAll: () => Promise<readonly Alarm[]>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onDone: () => void;
}

/** Selects alarms, including those that are not displayed, and handles them together. */
export function BulkBar(props: Props) {
  const { rows, total, selected, onSelect } = props;
  const action = useAction();
  /** Alarms for the comment, as selected when the form was opened. */
  const [commented, setCommented] = useState<readonly string[] | undefined>(undefined);
  /** All matching alarms at the time of the selection of all, including those that are not displayed. */
  const [matching, setMatching] = useState<ReadonlySet<string>>(new Set());
  const shown = new Set(rows.map(({ alarmId }) => alarmId));
  // Alarms that have left the list meanwhile are no longer selected.
  const ids = [...selected].filter((id) => shown.has(id) || matching.has(id));
  const all = rows.length > 0 && rows.every(({ alarmId }) => selected.has(alarmId));
  const selectMatching = () =>
    action.run(async () => {
      const found = new Set((await props.loadAll()).map(({ alarmId }) => alarmId));
      setMatching(found);
      onSelect(found);
    });
  const done = (subject: keyof typeof doneTexts, count: number) => {
    toast("success", plural(doneTexts[subject], count));
    setMatching(new Set());
    setCommented(undefined);
    onSelect(new Set());
    props.onDone();
  };
  const run = (subject: "acknowledge" | "clear") =>
    action.run(async () => {
      await alarmsApi[subject](ids);
      done(subject, ids.length);
    });
  if (rows.length === 0 && commented === undefined) return null;
  return (
    <div class="flex flex-wrap items-center gap-3">
      <label class="flex cursor-pointer items-center gap-3 pl-4 text-sm">
        <input
          type="checkbox"
          class="checkbox checkbox-sm"
          checked={all}
          ref={(box) => {
            if (box) box.indeterminate = ids.length > 0 && !all;
          }}
          onChange={() => onSelect(all ? new Set() : shown)}
        />
        {ids.length === 0 ? t("alarms.selectAll") : plural("alarms.selected", ids.length)}
      </label>
      {all && ids.length < total && (
        <button type="button" class="btn btn-ghost btn-sm" disabled={action.busy} onClick={selectMatching}>
          {t("alarms.selectMatching", { count: formatCount(Math.min(total, BULK_MAX)) })}
        </button>
      )}
      {ids.length > 0 && (
        <>
          <Button icon={Check} size={14} disabled={action.busy} onClick={() => run("acknowledge")}>
            {t("alarms.acknowledge")}
          </Button>
          <Button icon={BellOff} size={14} disabled={action.busy} onClick={() => run("clear")}>
            {t("alarms.clear")}
          </Button>
          <Button icon={MessageSquare} size={14} disabled={action.busy} onClick={() => setCommented(ids)}>
            {t("alarms.comment")}
          </Button>
        </>
      )}
      {commented !== undefined && (
        <Dialog title={plural("alarms.commentOn", commented.length)} onClose={() => setCommented(undefined)}>
          <CommentForm
            onSave={async (text) => {
              await alarmsApi.commentAll(commented, text);
              done("comment", commented.length);
            }}
          />
        </Dialog>
      )}
      <ErrorNote error={action.error} />
    </div>
  );
}
