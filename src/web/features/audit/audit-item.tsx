import type { Text } from "../../../lib/texts/text.ts";
import { describeUserAgent } from "../../lib/user-agent.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import type { AuditEntry } from "./audit-api.ts";
import { actionText } from "./audit-text.ts";

interface ChangedField {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is Text =>
  isObject(value) && typeof value.code === "string" && isObject(value.params);

function show(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return isText(value) ? serverText(value) : JSON.stringify(value);
}

/** A change field by field. Created and deleted objects have only one side. */
function changedFields(before: unknown, after: unknown): ChangedField[] {
  const [was, is] = [before, after].map((side) =>
    isObject(side) ? side : side === undefined ? {} : { "": side },
  ) as [Record<string, unknown>, Record<string, unknown>]; // two go in, two come out
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].sort().map((field) => ({
    field,
    before: Object.hasOwn(was, field) ? show(was[field]) : undefined,
    after: Object.hasOwn(is, field) ? show(is[field]) : undefined,
  }));
}

/** Pages of the subjects of entries. */
const PAGES: Readonly<Record<string, string>> = {
  device: "/devices/",
  user: "/settings/users/",
  mail: "/settings/outbox/",
};

function who({ actorType, actorName, impersonatorName }: AuditEntry): string {
  if (actorType === "API_KEY") return t("audit.byKey", { name: actorName });
  if (actorType === "COMMAND_LINE") return t("audit.byCommand", { name: actorName });
  return impersonatorName ? t("audit.byOther", { name: impersonatorName, as: actorName }) : actorName;
}

function programOf(userAgent: string): string {
  const existing = describeUserAgent(userAgent);
  return existing === undefined ? userAgent : `${existing.browser} · ${existing.system}`;
}

/** Shows an entry on one line; when opened, with all its fields. */
export function AuditItem({ entry }: { entry: AuditEntry }) {
  const ts = toMs(entry.at) ?? 0;
  const { outcome } = entry;
  return (
    <TimelineItem
      at={ts}
      state={t(`outcome.${outcome}`)}
      color={outcome === "SUCCESS" ? "text-soft" : "text-error"}
      aside={who(entry)}
      more={<AuditDetails entry={entry} ts={ts} />}
    >
      <span class="font-medium">{actionText(entry.action)}</span>
      {entry.targetName && ` · ${entry.targetName}`}
    </TimelineItem>
  );
}

function AuditDetails({ entry, ts }: { entry: AuditEntry; ts: number }) {
  const { targetType = "", targetId = "" } = entry;
  const page = PAGES[targetType];
  const facts: [string, string | undefined][] = [
    [t("audit.when"), formatDate(ts, "zoned")],
    [t("audit.who"), who(entry)],
    [t("audit.from"), entry.address],
    [t("audit.with"), entry.userAgent && programOf(entry.userAgent)],
    [t("audit.about"), `${targetType} ${targetId}`.trim()],
    [t("audit.entry"), entry.auditId],
  ];
  const changes = changedFields(entry.before, entry.after);
  return (
    <div class="flex flex-col gap-4">
      <dl class="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        {facts.map(([label, text]) =>
          text ? (
            <div key={label} class="contents">
              <dt class="text-soft">{label}</dt>
              <dd class="min-w-0 break-words">{text}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {targetId && (
        <p class="flex flex-wrap gap-x-6 gap-y-1 text-sm">
          {page && (
            <a class="link" href={page + encodeURIComponent(targetId)}>
              {t("audit.openThis")}
            </a>
          )}
          <a class="link" href={`/settings/audit?target=${encodeURIComponent(targetId)}`}>
            {t("audit.ofThis")}
          </a>
        </p>
      )}
      {changes.length > 0 && (
        <table class="w-full table-fixed text-left text-sm">
          <thead>
            <tr class="border-b border-base-300">
              <th class="panel-label py-1.5 pr-4">{t("audit.field")}</th>
              <th class="panel-label py-1.5 pr-4">{t("audit.before")}</th>
              <th class="panel-label py-1.5">{t("audit.after")}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field} class="border-b border-base-300/60 align-top last:border-0">
                <td class="py-1.5 pr-4 font-medium break-words">{field}</td>
                <td class="reading py-1.5 pr-4 break-all">{before ?? "–"}</td>
                <td class="reading py-1.5 break-all">{after ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
