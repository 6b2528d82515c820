import type { Text } from "../../../lib/texts/text.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { type Advice, ProblemNote } from "../../ui/state/problem-note.tsx";
import type { FieldConnection } from "./field-api.ts";

/** Advice about a problem, by its code. */
const advice: Advice = {
  "network_error.no_address": "modbusWhy.name",
  "network_error.unknown_name": "modbusWhy.name",
  "network_error.no_host": "modbusWhy.silent",
  "network_error.no_network": "modbusWhy.silent",
  "network_error.timed_out": "modbusWhy.silent",
  "network_error.refused": "modbusWhy.refused",
  "network_error.reset": "modbusWhy.reset",
  "outbound.address_refused": "modbusWhy.forbidden",
  "modbus.no_response": "modbusWhy.noResponse",
  "modbus.bad_response": "modbusWhy.badResponse",
  "s7.no_response": "s7Why.noResponse",
  "bacnet.no_response": "bacnetWhy.noResponse",
  "opcua.certificate_unknown": "opcuaWhy.certificate",
  "opcua.endpoint_missing": "opcuaWhy.endpoint",
  "opcua_refusal.access": "opcuaWhy.access",
  "opcua_refusal.certificate": "opcuaWhy.trust",
};

const LAMPS: Partial<Record<FieldConnection["state"]["status"], string>> = {
  connected: "lamp-on",
  connecting: "lamp-wait",
  waiting: "lamp-bad",
};

export function ConnectionStateText({ state }: Pick<FieldConnection, "state">) {
  return (
    <span class="flex items-center gap-2.5">
      <span class={`lamp ${LAMPS[state.status] ?? ""}`} aria-hidden="true" />
      {t(`modbusState.${state.status}`)}
    </span>
  );
}

/** Problem of a connection, with advice. */
export const Problem = ({ problem }: { problem: Text }) => <ProblemNote problem={problem} advice={advice} />;

export function NextAttempt({ state }: Pick<FieldConnection, "state">) {
  const time = toMs(state.nextAttemptAt);
  if (time === undefined) return null;
  const seconds = Math.max(0, Math.ceil((time - now.value) / 1_000));
  return <p class="text-sm text-soft">{t("bridge.nextTry", { seconds })}</p>;
}

/** Returns host and port as one text. */
export const addressText = ({ host, port }: Pick<FieldConnection, "host" | "port">): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
