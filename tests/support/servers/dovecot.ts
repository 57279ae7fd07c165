import { spawn, spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../server.ts";
import { waitFor } from "../wait_for.ts";

const PROGRAM = "/usr/sbin/dovecot";

/** The user of the mailbox, with a password that must be escaped in a URL. */
export const USER = "bounces@example.com";
export const PASSWORD = "pass/word?#@1";

/** A mail server whose mailbox a test fills. */
export interface Dovecot extends AsyncDisposable {
  readonly port: number;
  /** Puts a message into the inbox. */
  deliver(message: string): Promise<void>;
  /** The subjects of the read and unread messages in the inbox. */
  list(): { read: string[]; unread: string[] };
}

/** Returns whether Dovecot is installed. */
export function hasDovecot(): boolean {
  return spawnSync(PROGRAM, ["--version"]).status === 0;
}

/** The value of BOUNCE_MAILBOX for a server on this machine. */
export function mailboxAt(port: number, password = PASSWORD, folder = "INBOX"): string {
  const [user, secret] = [USER, password].map(encodeURIComponent);
  return `imap://${user}:${secret}@127.0.0.1:${port}/${folder}`;
}

/** The value of BOUNCE_MAILBOX for a user who signs in with a token. */
export function tokenMailboxAt(port: number): string {
  return `imap://${encodeURIComponent(USER)}@127.0.0.1:${port}/INBOX`;
}

/**
 * Starts a server with its own configuration, in the foreground. With the address of a token server
 * it lets in those with a token only.
 */
export async function startDovecot(
  { tokenServer }: { tokenServer?: string } = {},
): Promise<Dovecot> {
  const folder = await Deno.makeTempDir();
  const inbox = join(folder, "mail");
  for (const name of ["new", "cur", "tmp"]) Deno.mkdirSync(join(inbox, name), { recursive: true });
  const port = findFreePort();
  const file = join(folder, "dovecot.conf");
  await Deno.writeTextFile(join(folder, "users"), `${USER}:{PLAIN}${PASSWORD}\n`);
  const tokenInfo = new URL("/tokeninfo?access_token=", tokenServer ?? "http://127.0.0.1");
  await Deno.writeTextFile(
    join(folder, "oauth2"),
    `tokeninfo_url = ${tokenInfo}\nusername_attribute = username\n` +
      "active_attribute = active\nactive_value = true\n",
  );
  await Deno.writeTextFile(file, configure({ folder, inbox, port, takesTokens: !!tokenServer }));
  // Its processes run as an unprivileged user.
  spawnSync("chmod", ["-R", "a+rwX", folder]);
  const server = spawn(PROGRAM, ["-F", "-c", file], { stdio: "ignore" });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await waitFor("Dovecot", () => isAnswering(port));
  const subjects = new Map<string, string>();
  return {
    port,
    async deliver(message) {
      const name = `${subjects.size + 1}.${Date.now()}.test`;
      subjects.set(name, /^Subject: (.*?)\r?$/m.exec(message)?.[1] ?? "");
      const path = join(inbox, "tmp", name);
      await Deno.writeTextFile(path, message.replace(/\r?\n/g, "\r\n"));
      await Deno.chmod(path, 0o666);
      await Deno.rename(path, join(inbox, "new", name));
    },
    // By name only: the server may rename a message (new/NAME to cur/NAME:2,FLAGS) at any time.
    list() {
      const isRead = new Map<string, boolean>();
      for (const name of ["new", "cur"].flatMap((part) => listNames(join(inbox, part)))) {
        const [message = name, flags = ""] = name.split(":2,");
        isRead.set(message, flags.includes("S"));
      }
      const having = (wanted: boolean) =>
        [...isRead].filter(([, read]) => read === wanted)
          .map(([message]) => subjects.get(message) ?? message).sort();
      return { read: having(true), unread: having(false) };
    },
    async [Symbol.asyncDispose]() {
      server.kill("SIGTERM");
      await ended;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

function listNames(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map((entry) => entry.name);
}

async function isAnswering(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return true;
  } catch {
    return false;
  }
}

/** Root starts its processes as the package's users; anyone else as themselves. */
function configure(
  { folder, inbox, port, takesTokens }: {
    folder: string;
    inbox: string;
    port: number;
    takesTokens: boolean;
  },
): string {
  const passwords = takesTokens
    ? `driver = oauth2\n mechanisms = xoauth2\n args = ${folder}/oauth2`
    : `driver = passwd-file\n args = scheme=PLAIN username_format=%u ${folder}/users`;
  const own = userInfo();
  const isRoot = own.uid === 0;
  const [user, group] = isRoot ? ["nobody", "nogroup"] : [own.uid, own.gid];
  return `
    protocols = imap
    listen = 127.0.0.1
    base_dir = ${folder}/run
    state_dir = ${folder}/state
    log_path = ${folder}/log
    ssl = no
    auth_mechanisms = ${takesTokens ? "xoauth2" : "plain login"}
    first_valid_uid = 1
    mail_location = maildir:${inbox}
    ${isRoot ? "" : `default_login_user = ${own.username}\ndefault_internal_user = ${own.username}`}
    passdb {
      ${passwords}
    }
    userdb {
      driver = static
      args = uid=${user} gid=${group} home=${folder}
    }
    service imap-login {
      chroot =
      inet_listener imap {
        port = ${port}
      }
      inet_listener imaps {
        port = 0
      }
    }
    service anvil {
      chroot =
    }
  `;
}
