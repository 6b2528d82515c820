import { describe, expect, test } from "bun:test";
import {
  backupForm,
  dailyTimeOf,
  inputOf,
  prefixOf,
  valuesOf,
} from "../../../../src/web/features/backups/backup-form.tsx";
import type { BackupSettings } from "../../../../src/web/features/backups/backups-api.ts";
import { restoreCommands } from "../../../../src/web/features/backups/backups-page.tsx";
import type { FormValues } from "../../../../src/web/lib/form-schema.ts";
import { sentValues } from "../../../../src/web/ui/form/form-definition.ts";

const ZONE = "Europe/Berlin";
const unset: BackupSettings = {
  place: null,
  isEncrypted: false,
  schedule: null,
  daily: 7,
  weekly: 4,
  maxAgeHours: 36,
  verifyDays: 14,
  problems: [],
  fixed: [],
};
const bucket = {
  kind: "s3",
  endpoint: "http://127.0.0.1:9000",
  region: "us-east-1",
  bucket: "backups",
  prefix: "plant/",
  accessKeyId: "id",
} as const;
const sent = (values: FormValues) => inputOf(sentValues(backupForm, values));

describe("the settings of backups as a form", () => {
  test("suggest a nightly schedule before a place is set", () => {
    const values = { ...valuesOf(unset, ZONE), place: { kind: "folder", path: " /media/usb " } };
    expect(sent(values)).toEqual({
      place: { kind: "folder", path: "/media/usb" },
      passphrase: null,
      schedule: { expression: "30 2 * * *", timezone: ZONE },
      daily: 7,
      weekly: 4,
      maxAgeHours: 36,
      verifyDays: 14,
    });
  });

  test("leave a schedule off that somebody switched off", () => {
    const place = { kind: "folder", path: "/media/usb" } as const;
    expect(valuesOf({ ...unset, place }, ZONE).schedule).toBeNull();
  });

  test("return what they were made of", () => {
    for (const expression of ["30 10 * * *", "0 */6 * * *"]) {
      const schedule = { expression, timezone: "UTC" };
      const place = { ...bucket, hasSecretAccessKey: true };
      expect(sent(valuesOf({ ...unset, place, schedule, isEncrypted: true }, ZONE))).toEqual({
        place: bucket,
        schedule,
        daily: 7,
        weekly: 4,
        maxAgeHours: 36,
        verifyDays: 14,
      });
    }
  });

  test("send a secret only when one was entered", () => {
    const place = { ...bucket, secretAccessKey: "hush", prefix: "plant" };
    expect(sent({ ...valuesOf(unset, ZONE), place, passphrase: "correct horse" })).toMatchObject({
      place: { secretAccessKey: "hush", prefix: "plant/" },
      passphrase: "correct horse",
    });
  });

  test.each([
    ["", ""],
    ["/", ""],
    ["plant", "plant/"],
    ["/plant/north/ ", "plant/north/"],
  ])("write the prefix %j as %j", (entered, sent) => {
    expect(prefixOf(entered)).toBe(sent);
  });

  test.each([
    ["5 3 * * *", "03:05"],
    ["61 3 * * *", undefined],
    ["30 24 * * *", undefined],
    ["30 2 * * MON", undefined],
    ["30 2 1 * *", undefined],
  ])("read the time of day of %j as %p", (expression, time) => {
    expect(dailyTimeOf(expression)).toBe(time);
  });
});

test("the restore commands name the place and leave secrets to the person", () => {
  const folder = { kind: "folder", path: "/media/my stick" } as const;
  expect(restoreCommands({ place: folder, isEncrypted: false })).toBe(
    "lineside restore --from '/media/my stick'",
  );
  const s3 = restoreCommands({ place: { ...bucket, hasSecretAccessKey: true }, isEncrypted: true });
  expect(s3).toContain("LINESIDE_BACKUP_PASSPHRASE");
  expect(s3).toContain("--from s3://backups/plant/ --endpoint http://127.0.0.1:9000 --region us-east-1");
});
