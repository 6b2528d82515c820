import { History, Pencil, Plus, Trash2 } from "lucide-preact";
import { type ComponentChildren, Fragment } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { usePages } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { type Alarm, alarmMessage, alarmsApi } from "../alarms/alarms-api.ts";
import { SeverityWord } from "../alarms/severity.tsx";
import { NoteDialog } from "../annotations/note-dialog.tsx";
import { type Note, notesApi } from "../annotations/notes-api.ts";
import { ChangeItem } from "../attributes/attribute-history.tsx";
import { attributesApi } from "../attributes/attributes-api.ts";
import { auditApi } from "../audit/audit-api.ts";
import { AuditItem } from "../audit/audit-item.tsx";
import { HistoryLink } from "../audit/history-link.tsx";
import { commandsApi } from "../commands/commands-api.ts";
import { CommandItem } from "../commands/commands-tab.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";

const KINDS = ["notes", "alarms", "commands", "attributes", "audit"] as const;
const KIND_TEXTS = {
  all: "common.all",
  notes: "timeline.notes",
  alarms: "nav.alarms",
  commands: "tab.commands",
  attributes: "tab.attributes",
  audit: "page.audit",
} as const;
const SHOWN = 50;

interface Entry {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly item: (onChanged: () => void) => ComponentChildren;
}

interface Entries {
  readonly rows: readonly Entry[];
  readonly total: number;
}

type Load = (deviceId: string, limit: number) => Promise<Entries>;

const entriesOf = <Row,>(
  { rows, total }: { rows: readonly Row[]; total: number },
  toEntry: (row: Row) => Entry,
): Entries => ({ rows: rows.map(toEntry), total });

/** Loads the newest entries of each kind. */
const loads: Record<(typeof KINDS)[number], Load> = {
  notes: async (deviceId, limit) =>
    entriesOf(await notesApi.list(deviceId, { limit }), (note) => ({
      id: note.noteId,
      at: note.at,
      item: (onChanged) => <NoteItem note={note} onChanged={onChanged} />,
    })),
  alarms: async (deviceId, limit) =>
    entriesOf(await alarmsApi.list({ deviceId, limit }), (alarm) => ({
      id: alarm.alarmId,
      at: alarm.raisedAt,
      item: () => <AlarmItem alarm={alarm} />,
    })),
  commands: async (deviceId, limit) =>
    entriesOf(await commandsApi.list(deviceId, limit), (command) => ({
      id: command.commandId,
      at: command.createdAt,
      item: () => <CommandItem command={command} />,
    })),
  attributes: async (deviceId, limit) =>
    entriesOf(await attributesApi.history(deviceId, { limit }), (change) => ({
      id: String(change.changeId),
      at: change.at,
      item: () => <ChangeItem change={change} state={t("timeline.attribute")} />,
    })),
  // Commands and attributes are kinds of their own.
  audit: async (targetId, limit) =>
    entriesOf(await auditApi.list({ targetId, action: "device.", limit }), (entry) => ({
      id: entry.auditId,
      at: entry.at,
      item: () => <AuditItem entry={entry} />,
    })),
};

/** Returns the newest entries of some kinds, none of them older than the first omitted entry of any kind. */
async function loadEntries(deviceId: string, kinds: readonly (keyof typeof loads)[], limit: number) {
  const all = await Promise.all(kinds.map((kind) => loads[kind](deviceId, limit)));
  return {
    rows: all
      .flatMap(({ rows }) => rows)
      .sort((left, right) => Date.parse(right.at) - Date.parse(left.at))
      .slice(0, limit),
    total: all.reduce((sum, { total }) => sum + total, 0),
  };
}

/**
 * History of a device, newest first: notes of users, alarms, commands, new values of attributes and, for readers of the audit log, maintenance and
 * other changes of the device.
 */
export function HistoryTab({ device: { deviceId } }: DeviceTabProps) {
  const { query, path, route } = useLocation();
  const [isWriting, setWriting] = useState(false);
  const kinds = KINDS.filter((kind) => kind !== "audit" || may("audit:read"));
  const choice = kinds.find((kind) => kind === query.kind);
  const list = usePages(
    (limit) => loadEntries(deviceId, choice ? [choice] : kinds, limit),
    [deviceId, choice],
    SHOWN,
  );
  const reloadSoon = useCoalesced(list.reload);
  useLive({ topics: ["attributes", "alarms", "commands", "events"], deviceIds: [deviceId] }, (message) => {
    if (message.type === "snapshot" || message.topic !== "events" || message.event === "note") reloadSoon();
  });
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center gap-3">
        <Segments
          label={t("timeline.kinds")}
          items={(["all", ...kinds] as const).map((id) => ({
            id,
            text: t(KIND_TEXTS[id]),
          }))}
          current={choice ?? "all"}
          onSelect={(id) => route(id === "all" ? path : `${path}?kind=${id}`, true)}
        />
        <span class="flex flex-1 flex-wrap justify-end gap-2">
          <HistoryLink id={deviceId} />
          {may("devices:write") && (
            <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setWriting(true)}>
              {t("note.write")}
            </Button>
          )}
        </span>
      </div>
      <div class="panel flex flex-col">
        <ResourceList
          title={t("common.history")}
          isWithin
          list={list}
          icon={History}
          none={[t("timeline.none"), t("timeline.noneHint")]}
          table={(entries) => (
            <ol class="divide-y divide-base-300" data-testid="timeline">
              {entries.map(({ id, item }) => (
                <Fragment key={id}>{item(list.reload)}</Fragment>
              ))}
            </ol>
          )}
        />
      </div>
      {isWriting && (
        <NoteDialog
          deviceId={deviceId}
          at={serverNow()}
          onClose={() => setWriting(false)}
          onSaved={list.reload}
        />
      )}
    </div>
  );
}

function AlarmItem({ alarm }: { alarm: Alarm }) {
  const { alarmId, name, severity, raisedAt, clearedAt } = alarm;
  const message = alarmMessage(alarm);
  return (
    <TimelineItem
      at={toMs(raisedAt) ?? 0}
      state={<SeverityWord severity={severity} isCleared={clearedAt !== undefined} />}
      aside={clearedAt === undefined ? t("common.stillOpen") : untilText(clearedAt)}
    >
      <a class="link link-hover" href={`/alarms/${alarmId}`}>
        {name}
      </a>
      {message !== name && <p class="text-sm">{message}</p>}
    </TimelineItem>
  );
}

const untilText = (until: string) => t("note.until", { time: formatDate(toMs(until) ?? 0, "stamp") });

function NoteItem({ note, onChanged }: { note: Note; onChanged: () => void }) {
  const [isEdited, setEdited] = useState(false);
  const { noteId, deviceId, text, at, until, by } = note;
  const remove = () =>
    ask({
      title: t("note.delete"),
      warning: text,
      onConfirm: async () => {
        await notesApi.delete(noteId);
        onChanged();
      },
    });
  return (
    <TimelineItem
      at={toMs(at) ?? 0}
      state={t("timeline.note")}
      color="text-primary"
      aside={
        <>
          {until !== null && <p>{untilText(until)}</p>}
          {by}
        </>
      }
    >
      <p class="whitespace-pre-line">{text}</p>
      {may("devices:write") && (
        <div class="-ml-2">
          <IconButton
            icon={Pencil}
            size={14}
            class="btn btn-ghost btn-xs"
            label={t("note.edit")}
            onClick={() => setEdited(true)}
          />
          <IconButton
            icon={Trash2}
            size={14}
            class="btn btn-ghost btn-xs"
            label={t("note.delete")}
            onClick={remove}
          />
        </div>
      )}
      {isEdited && (
        <NoteDialog
          deviceId={deviceId}
          at={0}
          note={note}
          onClose={() => setEdited(false)}
          onSaved={onChanged}
        />
      )}
    </TimelineItem>
  );
}
