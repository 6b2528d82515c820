/** Both clients of InfluxDB for Node: prepare a database, ask whether the server is there, and write. Prints one JSON object. */
const [port, token, one, two] = process.argv.slice(2);

async function versionOne() {
  const { InfluxDB } = require(one);
  const client = new InfluxDB({
    host: "127.0.0.1",
    port: Number(port),
    username: "x",
    password: token,
    database: "db",
  });
  const [{ online }] = await client.ping(5_000);
  const databases = await client.getDatabaseNames();
  await client.createDatabase("db");
  await client.writePoints([
    { measurement: "m", tags: { host: "npm-1" }, fields: { t: 2.5, s: "x" }, timestamp: new Date() },
  ]);
  return { online, databases };
}

async function versionTwo() {
  const { InfluxDB, Point } = require(two);
  const api = new InfluxDB({ url: `http://127.0.0.1:${port}`, token }).getWriteApi("o", "b");
  const point = new Point("m").tag("host", "npm-2").floatField("t", 1.5).intField("i", 3).uintField("u", 4);
  api.writePoint(point.booleanField("b", true).stringField("s", "a b"));
  await api.close();
}

versionOne().then(async (answers) => {
  await versionTwo();
  console.log(JSON.stringify(answers));
});
