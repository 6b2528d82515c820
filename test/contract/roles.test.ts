import { describe } from "bun:test";
import { type ContractRow, contract, createWorld, type Who } from "./client.ts";

/** Who may do what, and what nobody learns of another tenant: one row for each operation and role. */

const unknown = "/{unknown}";
/** Writes of devices, attributes, commands, dashboards, pipelines, rule chains, jobs and profiles: not for readers. */
const editing = [
  "POST /api/devices",
  "PATCH /api/devices/{device}",
  "DELETE /api/devices/{device}",
  "POST /api/devices/{device}/attributes",
  "DELETE /api/devices/{device}/attributes/SHARED/a",
  "POST /api/devices/{device}/commands",
  "POST /api/devices/{device}/test-ack",
  "POST /api/devices/{device}/test-telemetry",
  "POST /api/devices/{device}/credentials/rotate",
  "POST /api/devices/{device}/maintenance",
  "DELETE /api/devices/{device}/telemetry?keys=a&from=0&to=1",
  "POST /api/devices/{device}/telemetry/import",
  "POST /api/devices/bulk/import",
  "POST /api/devices/bulk/validate",
  "POST /api/dashboards",
  `PATCH /api/dashboards${unknown}`,
  `DELETE /api/dashboards${unknown}`,
  "POST /api/dashboards/import",
  "POST /api/data-pipelines",
  `PATCH /api/data-pipelines${unknown}`,
  `DELETE /api/data-pipelines${unknown}`,
  `POST /api/data-pipelines${unknown}/start`,
  `POST /api/data-pipelines${unknown}/pause`,
  "POST /api/rule-chains",
  `PATCH /api/rule-chains${unknown}`,
  `DELETE /api/rule-chains${unknown}`,
  `POST /api/rule-chains${unknown}/start`,
  `POST /api/rule-chains${unknown}/pause`,
  "POST /api/scheduler",
  `PATCH /api/scheduler${unknown}`,
  `DELETE /api/scheduler${unknown}`,
  `POST /api/scheduler${unknown}/start`,
  `POST /api/scheduler${unknown}/pause`,
  "POST /api/device-profiles",
  `PATCH /api/device-profiles${unknown}`,
  `DELETE /api/device-profiles${unknown}`,
];
/** Users, integrations and secrets, API keys, escalation settings, tenant attributes, audit log: for administrators. */
const administering = [
  "POST /api/users",
  "PATCH /api/users/{limitedUser}",
  "DELETE /api/users/{limitedUser}",
  "POST /api/users/{limitedUser}/invite/credentials",
  "POST /api/users/{limitedUser}/invite/email",
  "POST /api/integrations",
  `PATCH /api/integrations${unknown}`,
  `DELETE /api/integrations${unknown}`,
  `POST /api/integrations${unknown}/start`,
  `POST /api/integrations${unknown}/pause`,
  `POST /api/integrations${unknown}/set-default`,
  "POST /api/tenant/integration/rotate-secret",
  "POST /api/api-keys",
  "GET /api/api-keys",
  "GET /api/alarms/escalation-settings",
  "PATCH /api/alarms/escalation-settings",
  "POST /api/tenant-attributes",
  "DELETE /api/tenant-attributes/a",
  "GET /api/audit",
  "POST /api/auth/impersonate",
];
/** Reads that every role may make. */
const reading = [
  "GET /api/devices",
  "GET /api/devices/{device}",
  "GET /api/devices/{device}/children",
  "GET /api/devices/{device}/commands",
  "GET /api/devices/{device}/attributes",
  "GET /api/devices/{device}/attributes/keys",
  "GET /api/devices/{device}/keys",
  "GET /api/devices/{device}/telemetry/latest",
  "GET /api/devices/{device}/telemetry/range?from=0&to=1",
  "GET /api/devices/keys",
  "GET /api/devices/types",
  "GET /api/devices/type-defaults/sensor",
  "GET /api/device-profiles",
  "GET /api/attributes/keys",
  "GET /api/telemetry/keys",
  "GET /api/tenant-attributes",
  "GET /api/tenant/profile",
  "GET /api/tenant/integration",
  "GET /api/alarms",
  "GET /api/alarms/device/{device}",
  "GET /api/dashboards",
  "GET /api/rule-chains",
  "GET /api/integrations",
  "GET /api/scheduler",
  "GET /api/data-pipelines",
];
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const world = createWorld();
/** Maintenance is also for those who may acknowledge alarms, so it is refused only where its body is right. */
const withBody = (time: string) =>
  /^(POST|PATCH)/.test(time) ? { body: time.endsWith("/maintenance") ? { until: tomorrow } : {} } : {};
const refused = (who: Who, time: string): ContractRow => [
  "403 for the role",
  `${who} ${time}`,
  403,
  withBody(time),
];

describe("a reader writes nothing", () =>
  contract(
    world,
    [...editing, ...administering].map((time) => refused("reader", time)),
  ));
describe("a read-write user does not administer", () =>
  contract(
    world,
    administering.map((time) => refused("rw", time)),
  ));

describe("every role reads", () => {
  const roles: readonly Who[] = ["owner", "admin", "rw", "reader"];
  contract(
    world,
    reading.flatMap((time) => roles.map((who): ContractRow => ["200 for the role", `${who} ${time}`, 200])),
  );
});

describe("a device of another tenant, or one that is not granted, does not exist", () => {
  const ofDevice = [...reading, ...editing].filter((time) => time.includes("{device}"));
  const bodies: Record<string, object> = {
    "/attributes": { scope: "SHARED", attributes: { a: 1 } },
    "/commands": { method: "x" },
    "/maintenance": { until: tomorrow },
  };
  const sent = (time: string) => {
    if (time.endsWith("/telemetry/import"))
      return { raw: "ts,key,value\n1700000000000,a,1\n", headers: { "content-type": "text/csv" } };
    const [, body] = Object.entries(bodies).find(([end]) => time.endsWith(end)) ?? [];
    return time.startsWith("GET") || time.startsWith("DELETE") ? {} : { body: body ?? {} };
  };
  contract(
    world,
    ofDevice.flatMap((time) =>
      (["stranger", "limited"] as const).map(
        (who): ContractRow => ["404", `${who} ${time}`, 404, sent(time)],
      ),
    ),
  );
});
