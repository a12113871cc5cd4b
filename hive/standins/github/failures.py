"""What the service answers when it does not do what was asked."""

from typing import TypedDict


class Detail(TypedDict, total=False):
    """One entry of `errors` in a 422 body."""

    resource: str
    field: str
    code: str
    message: str


class ApiFailure(Exception):
    """An answer other than success, in GitHub's words; REST and GraphQL each give it their own shape."""

    def __init__(
        self, status: int, message: str, *details: Detail, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details
        self.headers = headers or {}


def not_found() -> ApiFailure:
    """404: it is not there, or the caller may not know that it is."""
    return ApiFailure(404, "Not Found")


def forbidden(message: str = "Resource not accessible by personal access token") -> ApiFailure:
    """403: known and seen, but not allowed."""
    return ApiFailure(403, message)


def invalid(resource: str, field: str, code: str = "invalid", message: str | None = None) -> ApiFailure:
    """422 with one detail; a `message` makes it GitHub's `custom` code."""
    detail: Detail = {"resource": resource, "field": field, "code": "custom" if message else code}
    if message:
        detail["message"] = message
    return ApiFailure(422, "Validation Failed", detail)
