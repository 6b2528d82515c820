import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { Age } from "../../ui/state/age.tsx";
import { NewestError } from "../../ui/state/newest-error.tsx";
import { type Advice, ProblemNote } from "../../ui/state/problem-note.tsx";
import { LOCAL_BROKER } from "./integration-form.tsx";
import type { Bridge, Integration } from "./integrations-api.ts";

/** Advice about a problem, by its code. */
const advice: Advice = {
  "broker_error.credentials": "bridge.why.user",
  "broker_error.not_allowed": "bridge.why.user",
  "broker_error.taken_over": "bridge.why.clientId",
  "network_error.certificate": "bridge.why.certificate",
  "network_error.no_address": "bridge.why.name",
  "network_error.no_host": "bridge.why.silent",
  "network_error.no_network": "bridge.why.silent",
  "network_error.refused": "bridge.why.refused",
  "network_error.timed_out": "bridge.why.silent",
  "network_error.unknown_name": "bridge.why.name",
  "outbound.address_refused": "bridge.why.forbidden",
};

const LAMPS: Partial<Record<Bridge["status"], string>> = { connected: "lamp-on", connecting: "lamp-wait" };

/** Current state of the connection to a broker. */
export function BridgePanel({ integration }: { integration: Integration }) {
  const { bridge, settings_json } = integration;
  const { mqtt } = settings_json;
  if (!mqtt) return null;
  const filters = [mqtt.topicFilter].flat();
  return (
    <section class="panel flex min-w-0 flex-col gap-4 p-4" data-testid="bridge">
      <div class="flex flex-col gap-1">
        <p class="flex items-center gap-2.5 font-semibold" role="status">
          <span class={`lamp ${LAMPS[bridge?.status ?? "stopped"] ?? ""}`} aria-hidden="true" />
          <span>{t(`bridge.${bridge?.status ?? "off"}`)}</span>
          {bridge && (
            <span class="text-sm font-normal text-soft">
              <Age ts={toMs(bridge.since)} />
            </span>
          )}
        </p>
        <p class="reading text-sm text-soft wrap-anywhere">
          {mqtt.brokerUrl === LOCAL_BROKER ? t("integration.localBroker") : mqtt.brokerUrl}
        </p>
        {bridge?.nextAttemptAt && <NextTry at={toMs(bridge.nextAttemptAt) ?? 0} />}
      </div>
      {bridge?.problemText && <ProblemNote problem={bridge.problemText} advice={advice} />}
      {bridge && !bridge.problemText && (
        <NewestError error={bridge.lastErrorText} at={bridge.lastErrorAt} class="text-soft" />
      )}
      <ul class="flex flex-col gap-1" aria-label={t("field.integration.mqtt.topicFilter")}>
        {filters.map((filter) => (
          <li key={filter} class="flex flex-wrap items-baseline gap-x-3">
            <code class="reading text-sm wrap-anywhere">{filter}</code>
            <Granted bridge={bridge} filter={filter} />
          </li>
        ))}
      </ul>
      {bridge && <Counts bridge={bridge} />}
    </section>
  );
}

function NextTry({ at }: { at: number }) {
  const seconds = Math.max(0, Math.ceil((at - now.value) / 1000));
  return <p class="text-sm text-soft">{t("bridge.nextTry", { seconds })}</p>;
}

function Granted({ bridge, filter }: { bridge: Bridge | null; filter: string }) {
  const subscription = bridge?.subscriptions.find((candidate) => candidate.filter === filter);
  if (subscription === undefined) return null;
  return subscription.qos === null ? (
    <span class="text-sm font-medium text-error">{t("bridge.notGranted")}</span>
  ) : (
    <span class="text-sm text-soft">{t("bridge.granted", { qos: subscription.qos })}</span>
  );
}

function Counts({ bridge }: { bridge: Bridge }) {
  const { received, ignored, tooLarge, dropped } = bridge.counts;
  const parts = [
    `${formatCount(received)} ${t("bridge.received")}`,
    ...(ignored > 0 ? [`${formatCount(ignored)} ${t("bridge.ignored")}`] : []),
    ...(dropped > 0 ? [`${formatCount(dropped)} ${t("bridge.dropped")}`] : []),
    ...(tooLarge > 0 ? [`${formatCount(tooLarge)} ${t("bridge.tooLarge")}`] : []),
  ];
  return <p class="text-sm text-soft">{parts.join(" · ")}</p>;
}
