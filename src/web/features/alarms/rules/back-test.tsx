import { FlaskConical } from "lucide-preact";
import { useState } from "preact/hooks";
import { DAY_MS } from "../../../../lib/core/units.ts";
import type { JsonValue } from "../../../lib/wire.ts";
import { formatDate, toMs } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { Button } from "../../../ui/button.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { type BackTestResult, backTest } from "../alarms-api.ts";
import { SeverityWord } from "../severity.tsx";

const SHOWN = 10;
const SPANS = [1, 7, 31] as const;

const stamp = (time: string | null): string =>
  time === null ? t("common.stillOpen") : formatDate(toMs(time) ?? 0, "stamp");

export function BackTest({ profileId, rule }: { profileId: string; rule: () => JsonValue }) {
  const [days, setDays] = useState<number>(SPANS[0]);
  const [result, setResult] = useState<BackTestResult | undefined>(undefined);
  const action = useAction();
  const run = () =>
    action.run(async () => {
      setResult(undefined);
      const to = Date.now();
      setResult(await backTest({ rule: rule(), profileId, from: to - days * DAY_MS, to }));
    });
  return (
    <section class="flex flex-col gap-3" aria-label={t("backTest.title")}>
      <div class="flex flex-wrap items-center gap-2">
        <Button icon={FlaskConical} size={14} disabled={action.busy} onClick={run}>
          {t("backTest.run")}
        </Button>
        <select
          class="select select-sm w-auto"
          aria-label={t("backTest.span")}
          value={String(days)}
          onChange={(e) => setDays(Number(e.currentTarget.value))}
        >
          {SPANS.map((span) => (
            <option key={span} value={String(span)}>
              {plural("backTest.days", span)}
            </option>
          ))}
        </select>
        {action.busy && <span class="text-sm text-soft">{t("common.loading")}</span>}
      </div>
      <ErrorNote error={action.error} />
      {result && <Result result={result} />}
    </section>
  );
}

function Result({ result }: { result: BackTestResult }) {
  return (
    <div class="flex flex-col gap-2" role="status">
      <p class="font-medium">{plural("backTest.found", result.alarmCount)}</p>
      <p class="text-sm text-soft">
        {t("backTest.evaluated", {
          devices: plural("backTest.devices", result.deviceCount),
          rows: plural("backTest.rows", result.rowCount),
        })}
        {result.isCut && ` ${t("backTest.cut")}`}
        {result.usesAttributes && ` ${t("backTest.attributes")}`}
      </p>
      <ul class="flex flex-col gap-1.5">
        {result.alarms.slice(0, SHOWN).map((alarm) => (
          <li
            key={`${alarm.deviceId} ${alarm.raisedAt}`}
            class="flex flex-wrap items-center gap-x-4 text-sm"
            data-testid="would-have"
          >
            <SeverityWord severity={alarm.severity} />
            <span class="wrap-anywhere">{alarm.deviceName}</span>
            <span class="text-soft">{`${stamp(alarm.raisedAt)} – ${stamp(alarm.clearedAt)}`}</span>
          </li>
        ))}
      </ul>
      {result.alarmCount > SHOWN && (
        <p class="text-sm text-soft">{plural("backTest.more", result.alarmCount - SHOWN)}</p>
      )}
    </div>
  );
}
