import type {
  mailSettingsBody,
  mailSettingsInput,
  mailTestAnswer,
  mailTestInput,
} from "../../../modules/mail/mail-settings.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, put } from "../../platform/api-client.ts";

const PATH = "/api/gateway/mail";

export type MailSettings = Wire<typeof mailSettingsBody>;
export type MailTestResult = Wire<typeof mailTestAnswer>;
type MailSettingsInput = Wire<typeof mailSettingsInput>;
export const SECURITIES = ["STARTTLS", "TLS", "OPTIONAL"] as const;
type Security = (typeof SECURITIES)[number];

/** The port that a server listens on by default. */
export const standardPort = (security: Security): number => (security === "TLS" ? 465 : 587);

export interface MailServerForm {
  /** Empty: no mail server. */
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly acceptsAnyCertificate: boolean;
  readonly user: string;
  /** Empty keeps the stored password. */
  readonly password: string;
  readonly from: string;
}

export function formOf({ server, from }: MailSettings): MailServerForm {
  return {
    host: server?.host ?? "",
    port: server?.port ?? standardPort("STARTTLS"),
    security: server?.security ?? "STARTTLS",
    acceptsAnyCertificate: server?.acceptsAnyCertificate ?? false,
    user: server?.user ?? "",
    password: "",
    from: from ?? "",
  };
}

/** Returns the settings of the form without what the configuration sets. */
export function inputOf(form: MailServerForm, { fixed }: MailSettings): MailSettingsInput {
  const { from, password, ...server } = form;
  return {
    ...(!fixed.includes("smtp_url") && {
      server: server.host === "" ? null : { ...server, ...(password !== "" && { password }) },
    }),
    ...(!fixed.includes("smtp_from") && { from: from === "" ? null : from }),
  };
}

export const mailServerApi = {
  get: () => get<MailSettings>(PATH),
  save: (input: MailSettingsInput) => put<MailSettings>(PATH, input),
  test: (input: Wire<typeof mailTestInput>) => post<MailTestResult>(`${PATH}/test`, input),
};
