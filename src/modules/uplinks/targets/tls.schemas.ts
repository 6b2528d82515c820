import { type Static, Type as t } from "@sinclair/typebox";

const PEM_CHARACTERS_MAX = 64 * 1024;
const pem = (description: string) =>
  t.Optional(t.String({ minLength: 1, maxLength: PEM_CHARACTERS_MAX, description }));

/** TLS of a connection. The server's certificate is always verified against the host name. */
export const tlsSchema = t.Object(
  {
    ca: pem("certificates in PEM that are trusted instead of the system's"),
    certificate: pem("certificate of this client in PEM, followed by its intermediate certificates"),
    privateKey: pem("private key of this client in PEM"),
  },
  { title: "UplinkTls", additionalProperties: false },
);

export type TlsSettings = Static<typeof tlsSchema>;

/** TLS of a target whose address does not determine its use; null for a connection without TLS. */
export const tlsOrPlain = t.Union([tlsSchema, t.Null()], {
  default: null,
  description: "null: the connection is not encrypted",
});

/** TLS of a target whose URL determines its use, such as `https://`. */
export const tlsOfUrl = t.Union([tlsSchema, t.Null()], {
  default: null,
  description: "certificates for an encrypted connection; null: those of the system",
});
