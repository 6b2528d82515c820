// A gateway's storage in small: writes rows into two databases at once, and says how many are committed. It is killed at a random moment.
import { Database } from "bun:sqlite";
import { join } from "node:path";

const [data = ""] = process.argv.slice(2);
const open = (name: string) => {
  const db = new Database(join(data, name), { create: true });
  db.run("PRAGMA busy_timeout=5000");
  db.run("PRAGMA journal_mode=WAL");
  db.run("PRAGMA wal_autocheckpoint=200");
  db.run("CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, text TEXT)");
  return { db, insert: db.prepare("INSERT INTO item (text) VALUES (?)") };
};
const files = ["lineside.db", "telemetry.db"].map(open);
const count = files[0]?.db.query<{ count: number }, []>("SELECT count(*) AS count FROM item");
for (;;) {
  for (const { db, insert } of files)
    db.transaction(() => {
      for (let row = 0; row < 20; row++) insert.run(crypto.randomUUID().repeat(10));
      db.run("UPDATE item SET text = hex(randomblob(100)) WHERE id = abs(random()) % 1000");
    })();
  process.stdout.write(`${count?.get()?.count}\n`);
  await Bun.sleep(1);
}
