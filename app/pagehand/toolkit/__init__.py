"""What a tool is: kinds, schema, arguments, context, results."""
