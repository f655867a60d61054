export const API_KEY = 'a-key-for-the-benchmark'

/** The settings of a service in a benchmark: on loopback, on ports that are free. */
export const SERVICE_ENVIRONMENT: Readonly<Record<string, string>> = {
  API_KEY,
  API_JWT_SECRET: 'a secret of at least thirty-two characters',
  AES_ENCRYPTION_SECRET: 'another one of at least thirty-two characters',
  API_HOST: '127.0.0.1',
  API_PORT: '0',
  DELIVERY_PORT: '0',
  DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
}
