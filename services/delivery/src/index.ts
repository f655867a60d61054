export { createDelivery, type Delivery, type DeliveryParts } from './context.ts'
export { HealthServer, type Readiness } from './health.ts'
