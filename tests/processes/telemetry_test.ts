import { copyStarted } from "../support/databases.ts";
import { startServer } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { waitFor } from "../support/wait_for.ts";

Deno.test("OpenTelemetry gets traces, logs and metrics", async () => {
  const kinds = ["/v1/traces", "/v1/logs", "/v1/metrics"];
  let received = "";
  await using collector = serveSource(async (request) => {
    received += await request.text();
    return Response.json({});
  });
  const folder = await Deno.makeTempDir();
  await copyStarted(folder);
  {
    await using server = await startServer({
      DATA_DIR: folder,
      OTEL_DENO: "true",
      OTEL_SERVICE_NAME: "roadcast",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
    });
    const response = await fetch(`${server.url}/api/filter-options`);
    await response.body?.cancel();
    await waitFor(
      "all kinds of telemetry",
      () => kinds.every((kind) => collector.asked.includes(`${kind} 200`)),
    );
    await waitFor("the span of the request", () => received.includes("/api/filter-options"));
  }
  await Deno.remove(folder, { recursive: true });
});
