export const FIXTURE_FILE = "fixture.json";
/** Timestamp of the first reading. */
export const FIXTURE_TIME = Date.parse("2026-01-01T00:00:00Z");

/** What is in the databases of a released version, for the test that opens them. */
export interface Fixture {
  /** Made for the fixture alone, in base64. */
  readonly keys: Readonly<Record<string, string>>;
  readonly userId: string;
  readonly email: string;
  readonly deviceId: string;
  readonly deviceToken: string;
}
