import type { problemsEn } from "./problem-texts.en.ts";

export const problemsDe: Readonly<Record<keyof typeof problemsEn, string>> = {
  "problem.currentPassword": "Das bisherige Passwort stimmt nicht.",
  "problem.passwordWrong": "Das Passwort stimmt nicht.",
  "problem.passwordSame": "Das ist Ihr bisheriges Passwort. Wählen Sie ein anderes.",
  "problem.passwordShort": "Das Passwort braucht 10 Zeichen oder mehr.",
  "problem.codeWrong":
    "Der Code stimmt nicht. Warten Sie auf den nächsten; prüfen Sie auch die Uhr des Telefons.",
  "problem.otpWrong":
    "Der Code stimmt nicht, ist abgelaufen oder wurde zu oft versucht. Sehen Sie in die neueste Nachricht, oder fordern Sie einen neuen an.",
  "problem.passwordChanged":
    "Das Passwort wurde inzwischen geändert. Versuchen Sie es mit dem neuen noch einmal.",
  "problem.childName": "Das Gateway nennt schon ein anderes Gerät so. Wählen Sie einen anderen Namen.",
  "problem.parent": "Dieses Gateway gibt es nicht mehr, oder Sie dürfen es nicht sehen.",

  "problem.emailTaken":
    "Diese Adresse hat schon jemand. Jede Adresse gehört im ganzen Gateway nur einem Benutzer.",
  "problem.lastOwner":
    "Der letzte Inhaber, der sich anmelden kann, kann weder gelöscht noch gesperrt noch herabgestuft werden. Ernennen Sie zuerst einen weiteren Inhaber.",
  "problem.ownersOnly": "Nur ein Inhaber darf einen Inhaber ändern, einladen oder löschen.",
  "problem.beyondReach":
    "Sie können nur Benutzer verwalten, die nicht mehr Geräte und Anlagen sehen als Sie selbst.",
  "problem.userDisabled": "Dieser Benutzer ist gesperrt. Setzen Sie zuerst den Status auf aktiv.",
  "problem.deviceGone": "Eines der ausgewählten Geräte gibt es nicht mehr. Wählen Sie erneut.",
  "problem.planUsers":
    "Der Tarif dieses Standorts erlaubt {max} Benutzer. Löschen Sie einen nicht mehr benötigten, oder wählen Sie einen anderen Tarif.",
  "problem.keyName": "Einen Schlüssel dieses Namens gibt es schon. Wählen Sie einen anderen Namen.",
  "problem.keysMax": "Es gibt bereits {max} Schlüssel. Widerrufen Sie nicht mehr benutzte.",
  "problem.keyExpiry": "Der Schlüssel muss in der Zukunft ablaufen. Wählen Sie ein späteres Datum.",
  "problem.youDisabled":
    "Ihr Benutzer ist gesperrt. Bitten Sie einen Administrator dieses Standorts, ihn freizugeben.",
  "problem.planDevices":
    "Der Tarif dieses Standorts erlaubt {max} Geräte. Löschen Sie ein nicht mehr benötigtes, oder wählen Sie einen anderen Tarif.",
  "problem.invitationsLimit":
    "An diese Adresse oder von diesem Standort wurden zu viele Einladungen gesendet. Übergeben Sie die Angaben selbst, oder versuchen Sie es in einer Stunde erneut.",
  "problem.profileName": "Ein Profil dieses Namens gibt es schon. Wählen Sie einen anderen.",
  "problem.profileInUse": "Geräte verwenden dieses Profil. Geben Sie ihnen erst ein anderes.",
  "problem.profileDefault": "Das Standardprofil bleibt. Machen Sie erst ein anderes zum Standard.",
  "problem.cron": "Das lässt sich nicht lesen: {detail}",
  "problem.everyMs": "Von 1 Minute bis 366 Tage.",
  "problem.at": "Diese Zeit gibt es nicht.",
  "problem.neverRuns": "Keine solche Zeit liegt in der Zukunft. Wählen Sie eine, die noch kommt.",
  "problem.noTimeLeft": "Dieser Auftrag hat keine Zeit mehr. Ändern Sie erst, wann er läuft.",
  "problem.jobRunning": "Er läuft schon.",
  "problem.schedulerOff": "Der Zeitplan ist auf diesem Gateway abgeschaltet.",
  "problem.jobsMax": "Ein Standort hat höchstens {max} Aufträge. Löschen Sie erst einen.",
  "problem.jobReach": "Dieser Auftrag betrifft Geräte, auf die Sie keinen Zugriff haben.",
  "problem.jobType": "Einen Typ wählen kann nur, wer auf alle Geräte Zugriff hat.",

  "problem.noMailServer":
    "Es ist kein Mailserver eingerichtet. Setzen Sie smtp_url und starten Sie das Gateway neu.",
  "problem.mailSecretGone":
    "Worum es in dieser E-Mail ging, ist abgelaufen. Beginnen Sie dort neu, woher sie kam.",
  "problem.mailSent": "Diese E-Mail wurde schon gesendet.",
  "problem.brandingName": "1 bis 40 Zeichen in einer Zeile.",
  "problem.brandingLogo":
    "Das ist kein Bild, das sich zeigen lässt, oder ein SVG mit Skripten oder Verweisen nach außen.",
  "problem.noWhitelabel": "Der Tarif dieses Standorts enthält kein eigenes Erscheinungsbild.",
  "problem.messages":
    "Mehr Nachrichten je Sekunde, als der Tarif erlaubt ({max}, von allen Geräten zusammen).",
};
