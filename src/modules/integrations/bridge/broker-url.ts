import { invalid } from "../../../lib/domain-error.ts";

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
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isWebSocket: boolean;
}

/** @throws DomainError `invalid` */
export function parseBrokerUrl(text: string): BrokerAddress {
  const refuse = (what: string) => invalid("integration.broker_url", `brokerUrl: ${what}`);
  if (!URL.canParse(text)) throw refuse("is no URL, as mqtt://host:1883");
  const url = new URL(text);
  const scheme = schemes[url.protocol];
  if (scheme === undefined) throw refuse("must begin with mqtt://, mqtts://, ws:// or wss://");
  if (url.hostname === "") throw refuse("has no host");
  // It is shown to everybody who may read the integration.
  if (url.username !== "" || url.password !== "")
    throw refuse("user name and password belong into the credentials, not the URL");
  return {
    url,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? scheme.port : Number(url.port),
    isTls: scheme.isTls,
    isWebSocket: scheme.isWebSocket,
  };
}
