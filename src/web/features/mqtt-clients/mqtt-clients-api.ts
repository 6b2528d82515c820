import type {
  createMqttClientBody,
  mqttClientBody,
  publishBody,
  savedMqttClientBody,
  topicsBody,
  updateMqttClientBody,
} from "../../../modules/mqtt-clients/mqtt-clients.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, queryOf, remove } from "../../platform/api-client.ts";

export type MqttClient = Wire<typeof mqttClientBody>;
export type MqttClientInput = Wire<typeof createMqttClientBody>;
export type SavedMqttClient = Wire<typeof savedMqttClientBody>;
export type MqttTopics = Wire<typeof topicsBody>;
export type MqttTopic = MqttTopics["topics"][number];

const BASE = "/api/mqtt/clients";
const pathOf = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

export const mqttClientsApi = {
  list: (search: string, limit?: number) => getPage<MqttClient>(BASE, { search, limit }),
  get: (id: string) => get<MqttClient>(pathOf(id)),
  create: (body: MqttClientInput) => post<SavedMqttClient>(BASE, body),
  update: (id: string, body: Wire<typeof updateMqttClientBody>) => patch<SavedMqttClient>(pathOf(id), body),
  delete: (id: string) => remove(pathOf(id)),
  topics: (prefix: string) => get<MqttTopics>(`/api/mqtt/topics${queryOf({ prefix })}`),
  publish: (message: Wire<typeof publishBody>) => post("/api/mqtt/publish", message),
};
