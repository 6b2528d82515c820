import { detail, invalid } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

const schemes: Record<
  string,
  { readonly port: number; readonly isTls: boolean; readonly isWebSocket: boolean }
> = {
  "mqtt:": { port: 1883, isTls: false, isWebSocket: false },
  "mqtts:": { port: 8883, isTls: true, isWebSocket: false },
  "ws:": { port: 80, isTls: false, isWebSocket: true },
  "wss:": { port: 443, isTls: true, isWebSocket: true },
};

export interface BrokerAddress {
  readonly url: URL;
  /** Host without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isWebSocket: boolean;
}

/** @throws DomainError `invalid` */
export function parseBrokerUrl(text: string): BrokerAddress {
  const refuse = (rule: Text) => invalid("integration.broker_url", { rule });
  if (!URL.canParse(text)) throw refuse(detail("rule.broker_url"));
  const url = new URL(text);
  const scheme = schemes[url.protocol];
  if (scheme === undefined) throw refuse(detail("rule.broker_scheme"));
  if (url.hostname === "") throw refuse(detail("rule.host_missing"));
  // It is shown to everybody who may read the integration.
  if (url.username !== "" || url.password !== "") throw refuse(detail("rule.broker_credentials"));
  return {
    url,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? scheme.port : Number(url.port),
    isTls: scheme.isTls,
    isWebSocket: scheme.isWebSocket,
  };
}
