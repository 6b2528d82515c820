import { expect, test } from "bun:test";
import { generate } from "mqtt-packet";
import { InboundLane } from "../../../../src/platform/broker/inbound-lane.ts";
import { InboundSession, type Outcome } from "../../../../src/platform/broker/inbound-session.ts";
import { INBOUND_BYTES_MAX, InboundSpace } from "../../../../src/platform/broker/inbound-space.ts";
import { until } from "../../../support/until.ts";

const PAYLOAD = "x".repeat(512 * 1024);
const MESSAGES = 4;
const CONNECTIONS = 40;

/** A connection whose broker has sent `MESSAGES` messages. */
function connect(space: InboundSpace, tenantId: string) {
  const started: Array<(outcome: Outcome) => void> = [];
  const lane = new InboundLane({
    protocolVersion: 4,
    session: new InboundSession(),
    space: space.of(tenantId),
    take: () => new Promise((resolve) => started.push(resolve)),
    tooLarge: () => undefined,
    pass: () => undefined,
    send: () => undefined,
    fail: () => undefined,
    onRoom: () => undefined,
  });
  for (let messageId = 1; messageId <= MESSAGES; messageId++)
    lane.push(
      generate({
        cmd: "publish",
        topic: "a",
        payload: PAYLOAD,
        qos: 1,
        dup: false,
        retain: false,
        messageId,
      }),
    );
  return started;
}

test("the connections of a tenant share its space, and each may have one message in progress", async () => {
  const space = new InboundSpace();
  const connections = Array.from({ length: CONNECTIONS }, () => connect(space, "tenant"));
  await until(() => connections.every(({ length }) => length > 0));
  const other = connect(space, "other"); // its last message begins after those that wait for a turn
  await until(() => other.length === MESSAGES);
  const otherBytes = MESSAGES * (PAYLOAD.length + 1_024);
  expect(space.used - otherBytes).toBeLessThanOrEqual(INBOUND_BYTES_MAX.tenant + PAYLOAD.length + 1_024);
  expect(connections.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(CONNECTIONS * MESSAGES);
  for (let index = 0; index < MESSAGES; index++) {
    await until(() => connections.every(({ length }) => length > index));
    for (const connection of [...connections, other]) connection[index]?.({ kind: "taken" });
  }
  await until(() => space.used === 0);
});
