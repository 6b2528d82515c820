import { type Static, Type as t } from "@sinclair/typebox";
import { tlsOfUrl } from "../tls.schemas.ts";

const SECRET_CHARACTERS_MAX = 4_096;
const HEADERS_MAX = 20;

/** Settings of a target that receives batches as NDJSON by HTTP. */
export const httpSettings = t.Object(
  {
    type: t.Literal("HTTP"),
    url: t.String({
      minLength: 1,
      maxLength: 2_048,
      description: "http:// or https:// address that takes POST requests",
    }),
    headers: t.Record(t.String({ maxLength: 128 }), t.String({ maxLength: 2_048 }), {
      default: {},
      maxProperties: HEADERS_MAX,
      description: "further headers of every request; a secret belongs in `token`",
    }),
    token: t.Optional(
      t.String({
        minLength: 1,
        maxLength: SECRET_CHARACTERS_MAX,
        description: "sent as `Authorization: Bearer`, or as the header that `tokenHeader` names",
      }),
    ),
    tokenHeader: t.String({
      default: "Authorization",
      minLength: 1,
      maxLength: 128,
      description:
        "header of the token, such as `X-Api-Key`; `Bearer` precedes the token only in `Authorization`",
    }),
    signingSecret: t.Optional(
      t.String({
        minLength: 1,
        maxLength: SECRET_CHARACTERS_MAX,
        description: "signs every body in the header `X-Lineside-Signature`, as webhooks are signed",
      }),
    ),
    requestsInFlight: t.Integer({
      default: 4,
      minimum: 1,
      maximum: 4,
      description: "batches that are sent at the same time; 1 keeps their order",
    }),
    gzip: t.Boolean({ default: true, description: "whether bodies are compressed" }),
    timeoutMs: t.Integer({ default: 30_000, minimum: 1_000, maximum: 300_000 }),
    tls: tlsOfUrl,
  },
  { title: "UplinkHttpSettings", additionalProperties: false },
);

export type HttpSettings = Static<typeof httpSettings>;
