import { describe, expect, test } from "bun:test";
import { webhookLimits, webhookRoom } from "../../src/modules/pipelines/webhook-room.ts";
import { create, fixture, owner, path, remove, usePipelines } from "./pipelines-fixture.ts";

usePipelines();

const { perTimestamp, perMessage, charactersPerMessage } = webhookLimits;

const webhooks = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({
    type: "webhook_forward",
    url: `http://a.example/${name}/${n}`,
  }));

describe("webhooks of a message", () => {
  test("are limited per timestamp, over all pipelines; those beyond count as errors and are a fault", async () => {
    const own = await fixture.createDevice(owner);
    const ids: string[] = [];
    for (const name of ["first", "second", "third"]) {
      const scope = { deviceIds: [own.deviceId] };
      const { pipelineId } = await create({ name, scope, steps: webhooks(40, name) });
      await fixture.call("POST", `${path}/${pipelineId}/start`, { token: owner });
      ids.push(pipelineId);
    }
    const body = [
      { ts: 1_767_225_600_000, values: { t: 1 } },
      { ts: 1_767_225_601_000, values: { t: 2 } },
    ];
    const { status } = await fixture.call("POST", `/api/v1/${own.token}/telemetry`, { body });
    expect(status).toBe(200);
    const read = async (id: string) => (await fixture.call("GET", `${path}/${id}`, { token: owner })).body;
    const [first, second, third] = [
      await read(ids[0] ?? ""),
      await read(ids[1] ?? ""),
      await read(ids[2] ?? ""),
    ];
    expect([first, second, third].map(({ stats }) => stats.errors)).toEqual([0, 0, 2 * (120 - perTimestamp)]);
    const waitingOf = ({ webhooks: { waiting, failed, sent } }: typeof first) => waiting + failed + sent;
    expect([first, second, third].map(waitingOf)).toEqual([80, 80, 2 * (perTimestamp - 80)]);
    expect(third.lastErrorText).toMatchObject({
      code: "step_failure.too_many_webhooks",
      params: { perTimestamp, perMessage },
    });
    const faults = await fixture.call("GET", "/api/faults?source=delivery&limit=500", { token: owner });
    const codes = faults.body.map(({ reason }: { reason: { code: string } }) => reason.code);
    expect(codes).toContain("fault.webhooks_left_out");
    for (const id of ids) await remove(id);
  });

  test("are limited per message in number and size", () => {
    webhookRoom.restart();
    let taken = 0;
    for (let timestamp = 0; timestamp < perMessage; timestamp++) {
      webhookRoom.nextTimestamp();
      for (let n = 0; n < 2; n++) if (webhookRoom.take(1)) taken++;
    }
    expect(taken).toBe(perMessage);
    webhookRoom.restart();
    expect(webhookRoom.take(charactersPerMessage - 1)).toBe(true);
    expect([webhookRoom.take(2), webhookRoom.isFull, webhookRoom.take(1), webhookRoom.isFull]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    webhookRoom.restart();
  });
});
