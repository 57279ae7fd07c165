/** Hands a message to a worker of its own, and returns what it answers. */
export async function runInWorker<Answer>(url: URL, message: unknown): Promise<Answer> {
  const worker = new Worker(url, { type: "module" });
  try {
    return await new Promise<Answer>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(message);
    });
  } finally {
    worker.terminate();
  }
}
