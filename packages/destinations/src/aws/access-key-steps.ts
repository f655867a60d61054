/**
 * How a tenant makes an access key that may do one thing; part of the instructions of every type of
 * AWS, numbered from 2.
 *
 * @param policy - the statement of the policy, as an object
 */
export function accessKeySteps(policy: object): string {
  const document = JSON.stringify({ Version: '2012-10-17', Statement: [policy] }, null, 2)
  return `2. In **IAM**, open **Policies**, choose **Create policy**, then **JSON**, and enter this policy with your own
   names in the ARN. It is all that is needed.

${indented(`\`\`\`json\n${document}\n\`\`\``)}

3. Open **Users**, choose **Create user** without access to the console, and attach the policy.
4. Open the user's **Security credentials**, choose **Create access key**, and enter the **Access key ID** and the
   **Secret access key** here. The **Session token** is only for temporary credentials.`
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '   ')
}
