import type {
  proxySettingsBody,
  proxySettingsInput,
  proxyTestResponse,
} from "../../../modules/proxies/proxies.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, put } from "../../platform/api-client.ts";

const PATH = "/api/gateway/proxy";

export type ProxySettings = Wire<typeof proxySettingsBody>;
export type ProxyTestResult = Wire<typeof proxyTestResponse>;
export type ProxySettingsInput = Wire<typeof proxySettingsInput>;

export const proxyApi = {
  get: () => get<ProxySettings>(PATH),
  save: (input: ProxySettingsInput) => put<ProxySettings>(PATH, input),
  test: (input: ProxySettingsInput) => post<ProxyTestResult>(`${PATH}/test`, input),
  restart: () => post<unknown>("/api/gateway/restart", {}),
};
