import { beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  call,
  createJob,
  finishedRun,
  fixture,
  hourly,
  mine,
  other,
  set,
  tokens,
  useScheduler,
  type Who,
} from "./scheduler-fixture.ts";

useScheduler();

describe("permissions", () => {
  const body = () => ({ name: "x", schedule: hourly, action: set([mine.deviceId]) });
  let jobId: string;
  let wideId: string;
  let typeId: string;
  beforeAll(async () => {
    jobId = (await createJob({ name: "for mine" })).jobId;
    wideId = (await createJob({ name: "for both", action: set([mine.deviceId, other.deviceId]) })).jobId;
    const action = { type: "attributes", deviceType: "pump", attributes: { a: 1 } };
    typeId = (await createJob({ name: "for pumps", action })).jobId;
  });
  const as = (who: Who, method: string, path: () => string, input?: () => unknown) => () => ({
    method,
    path: `/api/scheduler${path()}`,
    token: tokens[who],
    ...(input && { body: input() }),
  });
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "GET", path: "/api/scheduler" }),
        status: 401,
        answer: "none",
      },
      { name: "a reader reads", request: as("reader", "GET", () => `/${jobId}`), status: 200 },
      {
        name: "a reader previews",
        request: as(
          "reader",
          "POST",
          () => "/preview-next",
          () => ({ schedule: hourly }),
        ),
        status: 200,
      },
      {
        name: "a reader creates nothing",
        request: as("reader", "POST", () => "", body),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader changes nothing",
        request: as(
          "reader",
          "PATCH",
          () => `/${jobId}`,
          () => ({ name: "y" }),
        ),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader starts nothing",
        request: as("reader", "POST", () => `/${jobId}/start`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader runs nothing",
        request: as("reader", "POST", () => `/${jobId}/run`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader deletes nothing",
        request: as("reader", "DELETE", () => `/${jobId}`),
        status: 403,
        answer: "error",
      },
      { name: "a writer creates", request: as("writer", "POST", () => "", body), status: 201 },
      {
        name: "another tenant's device is not there",
        request: as("stranger", "POST", () => "", body),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant's job is not there",
        request: as("stranger", "GET", () => `/${jobId}`),
        status: 404,
        answer: "error",
      },
      {
        name: "a user limited to some devices schedules for those",
        request: as("limited", "POST", () => "", body),
        status: 201,
      },
      {
        name: "a user limited to some devices schedules for no other device",
        request: as(
          "limited",
          "POST",
          () => "",
          () => ({ ...body(), action: set([other.deviceId]) }),
        ),
        status: 404,
        answer: "error",
      },
      {
        name: "a user limited to some devices schedules for no type",
        request: as(
          "limited",
          "POST",
          () => "",
          () => ({
            ...body(),
            action: { type: "attributes", deviceType: "sensor", attributes: { a: 1 } },
          }),
        ),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to some devices does not change a job on others, too",
        request: as(
          "limited",
          "PATCH",
          () => `/${wideId}`,
          () => ({ name: "y" }),
        ),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to some devices does not run a job on others, too",
        request: as("limited", "POST", () => `/${wideId}/run`),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to some devices does not delete a job on others, too",
        request: as("limited", "DELETE", () => `/${wideId}`),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to some devices does not find a job on others alone",
        request: as("limited", "GET", () => `/${typeId}`),
        status: 404,
        answer: "error",
      },
      {
        name: "a user limited to some devices does not find the runs of a job on others alone",
        request: as("limited", "GET", () => `/${typeId}/runs`),
        status: 404,
        answer: "error",
      },
    ],
  );

  test("a user limited to some devices sees only those in jobs and runs", async () => {
    await call("POST", `/${wideId}/run`);
    const run = await finishedRun(wideId);
    const job = await call("GET", `/${wideId}`, undefined, "limited");
    expect(job.body).toMatchObject({
      action: { deviceIds: [mine.deviceId] },
      hiddenTargets: 1,
      devices: [{ deviceId: mine.deviceId, name: "mine" }],
    });
    const runs = await call("GET", `/${wideId}/runs`, undefined, "limited");
    expect(runs.body[0]).toMatchObject({ runId: run.runId, targetCount: 1, hiddenTargets: 1 });
    const targets = await call("GET", `/${wideId}/runs/${run.runId}/targets`, undefined, "limited");
    expect(targets.headers.get("x-total-count")).toBe("1");
    for (const response of [job, runs, targets])
      expect(response.text).not.toMatch(new RegExp(`${other.deviceId}|other`));
    for (const [search, found] of [
      ["mine", 1],
      ["other", 0],
    ] as const)
      for (const path of [`/${wideId}/runs`, `/${wideId}/runs/${run.runId}/targets`]) {
        const { body, headers } = await call("GET", `${path}?search=${search}`, undefined, "limited");
        expect([path, search, body.length, headers.get("x-total-count")]).toEqual([
          path,
          search,
          found,
          String(found),
        ]);
      }
    const list = await call("GET", "", undefined, "limited");
    expect(list.body.map(({ name }: { name: string }) => name)).not.toContain("for pumps");
  });

  test("the audit log hides devices of jobs from users who may not see them", async () => {
    const admin = (await fixture.signIn("TENANT_ADMIN", { devices: [mine.deviceId] })).token;
    const entries = (token: string) => fixture.call("GET", `/api/audit?targetId=${wideId}`, { token });
    expect((await entries(tokens.owner)).text).toContain(other.deviceId);
    const seen = await entries(admin);
    expect(seen.body.map(({ action }: { action: string }) => action)).toContain("job.create");
    expect(seen.text).not.toContain(other.deviceId);
  });
});
