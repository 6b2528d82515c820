import type {
  proxySettingsBody,
  proxySettingsInput,
  proxyTestAnswer,
} from "../../../modules/proxies/proxies.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, put } from "../../platform/api-client.ts";

const PATH = "/api/gateway/proxy";

export type ProxySettings = Wire<typeof proxySettingsBody>;
export type ProxyTestResult = Wire<typeof proxyTestAnswer>;
type ProxySettingsInput = Wire<typeof proxySettingsInput>;

export interface ProxyForm {
  readonly publicUrl: string;
  readonly trustedProxies: string;
}

export const formOf = ({ publicUrl, trustedProxies }: ProxySettings): ProxyForm => ({
  publicUrl: publicUrl ?? "",
  trustedProxies: trustedProxies ?? "",
});

/** Returns the settings of the form without what the configuration sets. */
export const inputOf = (form: ProxyForm, { fixed }: ProxySettings): ProxySettingsInput => ({
  ...(!fixed.includes("public_url") && { publicUrl: form.publicUrl || null }),
  ...(!fixed.includes("trusted_proxies") && { trustedProxies: form.trustedProxies || null }),
});

export const proxyApi = {
  get: () => get<ProxySettings>(PATH),
  save: (input: ProxySettingsInput) => put<ProxySettings>(PATH, input),
  test: (input: ProxySettingsInput) => post<ProxyTestResult>(`${PATH}/test`, input),
  restart: () => post<unknown>("/api/gateway/restart", {}),
};
