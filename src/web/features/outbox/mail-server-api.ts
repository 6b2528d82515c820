import type {
  mailSettingsBody,
  mailSettingsInput,
  mailTestInput,
  mailTestResponse,
} from "../../../modules/mail/mail-settings.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, put } from "../../platform/api-client.ts";

const PATH = "/api/gateway/mail";

export type MailSettings = Wire<typeof mailSettingsBody>;
export type MailTestResult = Wire<typeof mailTestResponse>;
export type MailSettingsInput = Wire<typeof mailSettingsInput>;
export type MailTestInput = Wire<typeof mailTestInput>;

export const mailServerApi = {
  get: () => get<MailSettings>(PATH),
  save: (input: MailSettingsInput) => put<MailSettings>(PATH, input),
  test: (input: MailTestInput) => post<MailTestResult>(`${PATH}/test`, input),
};
