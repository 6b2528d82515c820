import { Pencil } from "lucide-preact";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatCount, formatValue, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ask } from "../../ui/confirmation.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { Age } from "../../ui/state/age.tsx";
import { Problem } from "./connection-state.tsx";
import type { FieldUnit } from "./field-api.ts";

/** Max. values on the card; the device page shows all. */
const VALUES_SHOWN = 12;

interface Props {
  readonly unit: FieldUnit;
  /** Path of its edit page. */
  readonly path: string;
  /** Summary of the entries on one line. */
  readonly line: string;
  /** True if it has no entries. */
  readonly isEmpty: boolean;
  /** Messages of the device about refused entries. */
  readonly refused: readonly { readonly key: string; readonly text: string }[];
  /** True if the connection is open; otherwise nothing is read. */
  readonly isOpen: boolean;
  readonly onDelete: () => Promise<unknown>;
  readonly onDeleted: () => void;
}

/** A unit with its health and newest values. */
export function UnitCard(props: Props) {
  const { unit, isOpen, line, isEmpty, refused } = props;
  const { deviceId, deviceName, health } = unit;
  const notes = health.notes.map(({ key, note }) => ({ key, text: serverText(note) }));
  return (
    <li class="flex flex-col gap-3 py-4 first:pt-0" data-testid="field-unit">
      <div class="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div class="min-w-0">
          <p class="flex flex-wrap items-center gap-x-2.5 font-medium">
            <span class={`lamp ${isOpen ? lampOf(unit, notes.length) : ""}`} aria-hidden="true" />
            <a class="link link-hover wrap-anywhere" href={`/devices/${deviceId}`}>
              {deviceName}
            </a>
          </p>
          <p class="text-sm text-soft">{line}</p>
        </div>
        {may("integrations:write") && <Actions {...props} />}
      </div>
      <p class="text-sm">
        {t("fieldConnection.lastRead")}:{" "}
        <Age ts={toMs(health.lastReadAt)} never={t("fieldConnection.notRead")} /> ·{" "}
        {plural("fieldConnection.answered", health.answered)} ·{" "}
        <span class={health.failed > 0 ? "text-warning" : "text-soft"}>
          {plural("fieldConnection.failed", health.failed)}
        </span>
      </p>
      {isEmpty && <p class="text-sm text-warning">{t("fieldUnit.readsNothing")}</p>}
      {health.lastError && isFailing(unit) && <Problem problem={health.lastError} />}
      <Said hint={t("fieldUnit.refused")} rows={refused} />
      <Said hint={t("fieldUnit.notes")} rows={notes} />
      {health.values.length > 0 && <Values unit={unit} />}
    </li>
  );
}

/** Returns an interval in seconds, as its field has it. */
export const intervalText = (ms: number): string => `${formatValue(ms / 1_000)} s`;

const REFUSALS = ["modbus.register_refused", "s7.tag_refused", "bacnet.object_refused", "opcua.item_refused"];

/** Returns whether the newest read failed. Refused entries are shown separately. */
const isFailing = ({ health: { lastReadAt, lastErrorAt, lastError } }: FieldUnit): boolean =>
  lastErrorAt !== null &&
  !REFUSALS.includes(lastError?.code ?? "") &&
  (lastReadAt === null || lastErrorAt >= lastReadAt);

function lampOf(unit: FieldUnit, notes: number): string {
  if (isFailing(unit)) return "lamp-bad";
  if (unit.health.lastReadAt === null) return "";
  return unit.health.refused.length + notes > 0 ? "lamp-wait" : "lamp-on";
}

/** Messages of the device about some entries. */
function Said({ hint, rows }: { hint: string; rows: Props["refused"] }) {
  if (rows.length === 0) return null;
  return (
    <div class="border-l-4 border-l-warning pl-3 text-sm" role="status">
      <p>{hint}</p>
      <ul>
        {rows.map(({ key, text }) => (
          <li key={key} class="wrap-anywhere">
            <span class="reading">{key}</span> – {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Values({ unit: { health, deviceId } }: { unit: FieldUnit }) {
  const { values } = health;
  return (
    <>
      <dl
        class="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-6 gap-y-2"
        aria-label={t("common.newestValues")}
      >
        {values.slice(0, VALUES_SHOWN).map(({ key, value }) => (
          <div key={key} class="min-w-0">
            <dt class="truncate text-sm text-soft" title={key}>
              {key}
            </dt>
            <dd class="reading truncate">{formatValue(value)}</dd>
          </div>
        ))}
      </dl>
      {values.length > VALUES_SHOWN && (
        <a class="link text-sm" href={`/devices/${deviceId}`}>
          {t("fieldConnection.moreValues", { count: formatCount(values.length) })}
        </a>
      )}
    </>
  );
}

function Actions({ path, unit, onDelete, onDeleted }: Props) {
  const { deviceName: name } = unit;
  return (
    <div class="flex gap-1">
      <a
        class="btn btn-ghost btn-sm"
        href={path}
        aria-label={t("fieldConnection.editUnit", { name })}
        title={t("fieldConnection.editUnit", { name })}
      >
        <Pencil size={16} aria-hidden="true" />
      </a>
      <DeleteButton
        label={t("fieldConnection.deleteUnit", { name })}
        onClick={() =>
          ask({
            title: t("fieldConnection.deleteUnitTitle"),
            warning: t("fieldConnection.deleteUnitWarning", { name }),
            onConfirm: async () => {
              await onDelete();
              toast("success", t("fieldConnection.unitDeleted", { name }));
              onDeleted();
            },
          })
        }
      />
    </div>
  );
}
