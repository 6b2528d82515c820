import type { platformEn } from "./texts.en.ts";

export const platformDe: Readonly<Record<keyof typeof platformEn, string>> = {
  "role.TENANT_OWNER": "Eigentümer",
  "role.TENANT_ADMIN": "Administrator",
  "role.TENANT_RW": "Lesen und schreiben",
  "role.TENANT_READ_ONLY": "Nur lesen",
  "age.now": "jetzt",
  "age.seconds": "vor {n} s",
  "age.minutes": "vor {n} min",
  "age.hours": "vor {n} h",
  "age.days": "vor {n} T",
  "age.never": "nie",
  "value.true": "wahr",
  "value.false": "falsch",
  "duration.seconds.one": "{count} Sekunde",
  "duration.seconds.other": "{count} Sekunden",
  "duration.minutes.one": "{count} Minute",
  "duration.minutes.other": "{count} Minuten",
  "duration.hours.one": "{count} Stunde",
  "duration.hours.other": "{count} Stunden",
  "duration.days.one": "{count} Tag",
  "duration.days.other": "{count} Tagen",
};
