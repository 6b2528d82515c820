import { t } from "elysia";
import { renderedText } from "../api/wire.schemas.ts";

const TEXT_LENGTH_MAX = 2_000;
const text = t.Union([t.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX }), t.Null()]);

export const proxySettingsBody = t.Object(
  {
    publicUrl: t.Union([t.String(), t.Null()], {
      description: "Address at which users and devices reach the gateway. Its path is the base path.",
    }),
    trustedProxies: t.Union([t.String(), t.Null()], {
      description: "Comma-separated addresses and networks of reverse proxies.",
    }),
    fixed: t.Array(t.Union([t.Literal("public_url"), t.Literal("trusted_proxies")]), {
      description: "Keys that the configuration sets, which has priority.",
    }),
    needsRestart: t.Boolean({ description: "Whether the gateway runs with other settings than these." }),
  },
  { title: "ProxySettings" },
);

export const proxySettingsInput = t.Object(
  { publicUrl: t.Optional(text), trustedProxies: t.Optional(text) },
  { title: "ProxySettingsInput" },
);

export const proxyTestResponse = t.Object(
  {
    peer: t.String({ description: "Other end of the connection." }),
    isTrusted: t.Boolean({ description: "Whether it is a trusted proxy." }),
    address: t.String({ description: "Address that counts as the client's." }),
    protocol: t.Union([t.Literal("http"), t.Literal("https")]),
    host: t.String({ description: "Host and port by which the client asked." }),
    headers: t.Record(t.String(), t.String(), { description: "X-Forwarded headers of the request." }),
    problems: t.Array(renderedText),
  },
  { title: "ProxyTestResult" },
);
